#pragma once
// When a disturbed attempt may go on, and how far at a time. Pure: time comes as an argument.
//
// Held to a rate, the record at offset p is not claimed before begin-of-run + (p - begin) / rate: an absolute schedule,
// on which errors do not add up and a late attempt catches up. Claims are so small that a wait is at most kStep long,
// unless a single record takes longer.

#include <cstdint>
#include <limits>

#include "common/base/byte_range.h"
#include "common/injection/disturbance.h"
#include "worker/runner/run_clock.h"

namespace ontime::worker {

class Pace {
 public:
  using TimePoint = RunClock::TimePoint;
  static constexpr std::chrono::milliseconds kStep{20};

  enum class Fate { GoesOn, Stalls, Crashes };

  // The attempt begins at `start` with `range`, whose end must be known, at least roughly.
  Pace(const injection::Disturbance& disturbance, ByteRange range, TimePoint start);

  // What happens before the record at `position` is claimed.
  Fate fate(std::uint64_t position) const;
  // Not before then may it go on from `position`. The first call with a position at or behind the pause begins it.
  TimePoint due(std::uint64_t position, TimePoint now);
  // The end to claim records up to, so that the next wait is short and no accident's place is passed.
  std::uint64_t claim_end(std::uint64_t position, std::uint64_t segment_end) const;
  // Records were claimed and mapped in this time: what a slow-down without a rate lengthens.
  void on_mapped(TimePoint from, TimePoint to);

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  const std::uint64_t begin_;
  const double bytes_per_second_;  // 0: not held to a rate
  const double slowdown_;
  const Duration pause_;
  const std::uint64_t pause_at_;
  const std::uint64_t stall_at_;
  const std::uint64_t crash_at_;
  const std::uint64_t step_bytes_;
  TimePoint start_;       // of the schedule; a pause moves it
  TimePoint not_before_;  // end of the pause, or of what a slow-down adds
  bool has_paused_;
};

}  // namespace ontime::worker
