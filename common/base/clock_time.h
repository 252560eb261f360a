#pragma once
// Times of day as people write them: "06:00", "2026-12-01T06:00+01:00". Without a zone they are local ($TZ).

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace ontime {

// Whether it is meant as a time of day or a date, so that its flaws are told in their words.
bool looks_like_clock_time(std::string_view text);

// HH:MM[:SS], the next time that clocks show it, or YYYY-MM-DDTHH:MM[:SS], with a space instead of the T too; both may
// end in a zone: Z, +01:00, +0100 or +01. Local times that a change of the clocks repeats mean the first, and those
// that it leaves out are as much later as it is. In nanoseconds since the Unix epoch. BadInput if it is none of these,
// or a date with a time that has passed.
Result<std::int64_t> parse_clock_time(std::string_view text, std::int64_t now_unix_ns);

std::int64_t now_unix_ns();  // by this machine's clock

// "2026-12-01 06:00:00"; empty for 0.
std::string local_time(std::int64_t unix_ns);

}  // namespace ontime
