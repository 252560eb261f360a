#pragma once
// The master's time. It starts at the wall clock, or at the last time in the journal if that is later, and then follows
// the steady clock. So it never runs backwards, even if the machine's clock was set back before a restart: then it runs
// up to kAheadMax ahead of the wall clock. A journal further ahead means that some clock was wrong. Usually it is the
// one that wrote the journal, whose times are set back before it is used (Journal::set_back). If even the first record
// is ahead, it may be this machine's clock, and the master goes on from the last record.

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
