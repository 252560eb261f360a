#pragma once
// When a disturbed attempt may go on, and how far at a time. Pure: time comes as an argument.
//
// Held to a rate, the record at offset p is not claimed before begin-of-run + (p - begin) / rate: an absolute schedule,
// on which errors do not add up and a late attempt catches up. Claims are so small that a wait is at most kStep long,
// unless a single record takes longer.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "common/base/byte_range.h"
#include "common/base/time.h"
#include "common/injection/injection.h"

namespace ontime::worker {

// The time that a disturbed attempt lives by. Tests have one of their own, which makes waiting instant and exact.
class RunClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  virtual ~RunClock() = default;
  virtual TimePoint now() const = 0;
  // May return a little early or late.
  virtual void sleep_until(TimePoint then) = 0;
};

// The machine's.
RunClock& steady_run_clock();

// How many bytes of records to claim at a time. Cuts are answered, and progress is reported, between two blocks: so a
// block shall not last longer than a moment, whatever a record takes, down to one record. Where records are quick
// blocks are as large as the reader's, which costs nothing: it takes some 17 doublings to get there, a millisecond in
// all. Pure.
class BlockSize {
 public:
  static constexpr Duration kTarget = std::chrono::milliseconds(50);

  explicit BlockSize(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // Records that start within so many bytes may be claimed: at least one.
  std::uint64_t bytes() const { return bytes_; }

  // A block of so many bytes has lasted so long.
  void on_mapped(std::uint64_t bytes, Duration lasted) {
    if (lasted > 2 * kTarget) {
      const double share = std::chrono::duration<double>(kTarget) / std::chrono::duration<double>(lasted);
      const auto fitting = static_cast<std::uint64_t>(share * static_cast<double>(std::min(bytes, bytes_)));
      bytes_ = std::max<std::uint64_t>(1, fitting);
    } else if (lasted < kTarget / 2 && bytes >= bytes_ / 2) {  // the last piece of a segment tells nothing
      bytes_ = std::min(bytes_max_, 2 * std::max(bytes, bytes_));
    }
  }

 private:
  const std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 1;
};

class Pace {
 public:
  using TimePoint = RunClock::TimePoint;
  static constexpr std::chrono::milliseconds kStep{20};

  enum class Fate { GoesOn, Stalls, Crashes };

  // The attempt begins at `start` with `range`, whose end must be known, at least roughly.
  Pace(const injection::Disturbance& disturbance, ByteRange range, TimePoint start);

  // What happens before the record at `position` is claimed.
  Fate fate(std::uint64_t position) const;
  // Not before then may it go on from `position`, which is no further than `ahead` of what is mapped then. The first
  // call with a position at or behind the pause begins it.
  TimePoint due(std::uint64_t position, TimePoint now, std::uint64_t ahead = 0);
  // The end to claim records up to, so that the next wait is short and no accident's place is passed.
  std::uint64_t claim_end(std::uint64_t position, std::uint64_t segment_end) const;
  // Records were claimed and mapped in this time: what a slow-down without a rate lengthens.
  void on_mapped(TimePoint from, TimePoint to);
  // So long it has stood and mapped nothing.
  void put_off(Duration time);

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
  TimePoint start_;       // of the schedule; a pause moves it, and what puts it off
  TimePoint not_before_;  // end of the pause, or of what a slow-down adds
  Duration stood_{0};     // since the last call of on_mapped
  bool has_paused_;
};

}  // namespace ontime::worker
