#pragma once
// Sizes and durations as people write them on a command line: "128MiB", "64k", "1.5GB"; "90s", "200ms", "2m", "1h30m".

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/base/time.h"

namespace ontime {

// Bytes. No unit is bytes; k/K/KiB, M/MiB, G/GiB, T/TiB are powers of 1024, kB/KB, MB, GB, TB powers of 1000.
Result<std::uint64_t> parse_size(std::string_view text);
// A unit is required except for 0: ns us ms s m h d, several may follow each other.
Result<Duration> parse_duration(std::string_view text);

std::string format_size(std::uint64_t bytes);    // "128.0 MiB"
std::string format_duration(Duration duration);  // "1.25 s", "3m 20s"

}  // namespace ontime
