#pragma once
// Numbers, sizes and durations as people write them on a command line: "12", "0.05"; "128MiB", "64k", "1.5GB"; "90s",
// "200ms", "2m", "1h30m".

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "common/base/result.h"
#include "common/base/time.h"

namespace ontime {

// The whole text as a number that fits; nothing for any other text. A whole number may have another `base` than 10.
template <class Number, class... Base>
std::optional<Number> number_in(std::string_view text, Base... base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Digits alone: no sign, no 0x10, no 1e3. The error names the text and the range.
Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least, std::uint64_t most);
// A finite number such as 0.05; an infinite `most` is no bound.
Result<double> parse_number(std::string_view text, double least, double most);

// Bytes. No unit is bytes; k/K/KiB, M/MiB, G/GiB, T/TiB are powers of 1024, kB/KB, MB, GB, TB powers of 1000.
Result<std::uint64_t> parse_size(std::string_view text);
// A unit is required except for 0: ns us ms s m h d, several may follow each other.
Result<Duration> parse_duration(std::string_view text);

constexpr Duration kDurationMost = std::chrono::days(3650);  // that anyone may ask for

std::string shortest(double value);              // "0.05": as many digits as tell it from every other
std::string format_size(std::uint64_t bytes);    // "128.0 MiB"
std::string format_duration(Duration duration);  // "1.25 s", "3m 20s"

}  // namespace ontime
