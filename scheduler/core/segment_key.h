#pragma once
// Names an open segment within its job.

#include <compare>
#include <cstdint>

namespace ontime::scheduler {

struct SegmentKey {
  std::uint32_t task = 0;  // TaskId::index
  std::uint64_t begin = 0;
  auto operator<=>(const SegmentKey&) const = default;
};

}  // namespace ontime::scheduler
