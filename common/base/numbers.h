#pragma once
// Numbers as people write them on a command line; for sizes and durations see units.h.

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace ontime {

// Digits alone: no sign, no 0x10, no 1e3. The error names the text and the range.
Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least, std::uint64_t most);
// A finite number such as 0.05; an infinite `most` is no bound.
Result<double> parse_number(std::string_view text, double least, double most);

}  // namespace ontime
