#pragma once
// Injection as people write it: one text per setting, `key=value` (--inject), or a YAML document of them; the keys and
// values of docs/injection.md.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/injection/injection.h"

namespace ontime::injection {

// The files that settings name (slowdown=trace:FILE) are read by the caller, through this.
class TraceSource {
 public:
  virtual ~TraceSource() = default;
  // The whole text of a trace file, as named in the setting.
  virtual Result<std::string> read(const std::string& name) = 0;
};

// How factors ("8x", 1 where it goes without saying) and times are written in settings.
extern const ValueForm kFactors;
extern const ValueForm kTimes;
inline constexpr std::array kStartsOf{std::pair{std::string_view("segment"), StartOf::Segment},
                                      std::pair{std::string_view("attempt"), StartOf::Attempt},
                                      std::pair{std::string_view("process"), StartOf::Process}};
std::string exact_text(Duration duration);  // in the largest unit that makes it a whole number

// Applies one setting. A key given again replaces what it said before; node, and the places of stall and crash, add up.
// BadInput with a sentence that begins with the setting's text and says what is expected.
Status apply(Injection& injection, std::string_view key, std::string_view value, TraceSource& traces);
// The same for "key=value".
Status apply(Injection& injection, std::string_view setting, TraceSource& traces);

// One factor per line; empty lines and those that begin with # do not count.
Result<std::vector<double>> parse_trace(std::string_view text);

// The settings that make this injection, the seed first. In the place of a trace stands how many factors it has.
std::vector<std::string> settings_of(const Injection& injection);
// "seed=7 pace=2s straggler=0.1:8x": what is active, for the log.
std::string describe(const Injection& injection);

// From a command line. Only what follows reads files: the document, and the traces that it or a flag names.

// A YAML document: a mapping from keys to the same texts; where a key may be given several times, also to a list of
// them. Applies everything that `text` says. BadInput with the line where something is wrong.
Status apply_document(Injection& injection, const std::string& text, TraceSource& traces);

struct Flags {
  std::string file;                   // --injection; empty: none
  std::vector<std::string> settings;  // --inject, in order
  std::optional<std::uint64_t> seed;  // --seed
};

// The document first, then the settings, then the seed. Nothing if no flag asks for any. A trace in the document is
// looked for beside the document. BadInput with a sentence that begins with the flag.
Result<std::optional<Injection>> load(const Flags& flags);

}  // namespace ontime::injection
