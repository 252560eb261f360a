#pragma once
// Injection as people write it: one text per setting, `key=value` (--inject), the keys and values of docs/injection.md.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/injection/injection.h"

namespace ontime::injection {

// The files that settings name (slowdown=trace:FILE) are read by the caller, through this.
class TraceSource {
 public:
  virtual ~TraceSource() = default;
  // The whole text of a trace file, as named in the setting.
  virtual Result<std::string> read(const std::string& name) = 0;
};

// The values of settings. Errors say what was expected; the caller puts the setting before it.
Error expected(std::string what);

// The whole text is one finite number, or one whole number that fits.
std::optional<double> parse_number(std::string_view text);
template <class Whole>
std::optional<Whole> parse_whole(std::string_view text) {
  Whole value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What stands before and behind the last colon; before it is nothing when there is none.
std::pair<std::string_view, std::string_view> at_last_colon(std::string_view text);

Result<double> parse_share(std::string_view text);                                // 0.1
Result<double> parse_factor(std::string_view text);                               // 8x
Result<Duration> parse_time(std::string_view text, Duration most);                // 2s
Result<Share> parse_share_and_factor(std::string_view text);                      // 0.1:8x
Result<Distribution> parse_slowdown(std::string_view text, TraceSource& traces);  // 2x, pareto:1.5, trace:FILE ...
Result<Distribution> parse_launch(std::string_view text);                         // 2s, pareto:2s:1.5, lognormal:2s:0.3
Result<PlaceOfTask> parse_place(std::string_view text);                           // 3@64KiB, 3@50%

// One factor per line; empty lines and those that begin with # do not count.
Result<std::vector<double>> parse_trace(std::string_view text);

// Applies one setting. A key given again replaces what it said before; node, and the places of stall and crash, add up.
// BadInput with a sentence that begins with the setting's text and says what is expected.
Status apply(Injection& injection, std::string_view key, std::string_view value, TraceSource& traces);
// The same for "key=value".
Status apply(Injection& injection, std::string_view setting, TraceSource& traces);

// "seed=7 pace=2s straggler=0.1:8x": what is active, for the log. A trace shows how many factors it has.
std::string describe(const Injection& injection);

}  // namespace ontime::injection
