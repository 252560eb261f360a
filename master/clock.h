#pragma once
// The master's time: the wall clock once at start, at least the last time in the journal, and from then on the steady
// clock. It never runs backwards, not even across a restart on a machine whose clock was set back: by up to kAheadMax it
// runs ahead of the wall clock then. If a journal is further ahead, some clock was wrong: the one that it was written
// with, and it is set back before it is used (Journal::set_back); or, if even its first record is ahead, perhaps this
// machine's own, and the master goes on from the last record.

#include <algorithm>
#include <chrono>

#include "common/base/time.h"

namespace ontime::master {

class Clock {
 public:
  static constexpr Duration kAheadMax = std::chrono::hours(1);
  static TimePoint wall_now() { return TimePoint(std::chrono::system_clock::now().time_since_epoch()); }

  explicit Clock(TimePoint at_least)
      : base_(std::max(at_least, wall_now())),
        started_(std::chrono::steady_clock::now()) {}

  TimePoint now() const { return base_ + (std::chrono::steady_clock::now() - started_); }

 private:
  TimePoint base_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace ontime::master
