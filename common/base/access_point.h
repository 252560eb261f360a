#pragma once
// A place in a compressed file at which reading may begin.

#include <cstdint>

namespace ontime {

struct AccessPoint {
  std::uint64_t content = 0;  // offset in what the file holds
  std::uint64_t stored = 0;   // offset in the file itself
  bool operator==(const AccessPoint&) const = default;
};

}  // namespace ontime
