#pragma once
// What happens to one attempt; the runner obeys it.

#include <cstdint>
#include <optional>

#include "common/base/time.h"

namespace ontime::injection {

struct Disturbance {
  Duration launch{0};           // before it is ready, or before its first record
  double bytes_per_second = 0;  // held to that rate, slow-downs included; 0: as fast as it goes
  double slowdown = 1;          // not held to a rate: mapping takes so many times as long; nothing happens below 1
  Duration pause{0};            // once; 0: none
  double pause_fraction = 0;    // of the range it begins with, [0, 1): where it pauses
  std::optional<std::uint64_t> stall_at;  // it stops indefinitely before the first record that starts there or behind
  std::optional<std::uint64_t> crash_at;  // its process aborts there; both are offsets in the input
  bool operator==(const Disturbance&) const = default;

  bool is_none() const { return *this == Disturbance{}; }
};

}  // namespace ontime::injection
