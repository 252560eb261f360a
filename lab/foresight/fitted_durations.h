#pragma once
// Execution times as the policies would reckon with them, to draw from.

#include <optional>

#include "scheduler/math/durations.h"
#include "lab/scenario/distribution.h"

namespace ontime::lab {

struct FittedDurations {
  scheduler::math::FittedTail tail;      // seconds, of a whole split
  scheduler::math::Durations durations;  // as they were fitted, per byte
};

// Of splits of so many bytes, with the tail that `rule` chooses. Nothing: no attempt has got far enough.
std::optional<FittedDurations> fitted_durations(const scheduler::math::DurationSample& sample,
                                                std::uint64_t split_bytes, scheduler::math::TailRule rule);

Distribution distribution_of(const scheduler::math::FittedTail& tail);

}  // namespace ontime::lab
