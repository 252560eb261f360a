#pragma once
// A master's clock (master/clock.h) on a machine whose clocks are wrong: the wall clock, read once at start, may be
// ahead or behind; the steady clock may run too fast or too slow, and jumps ahead when the machine was asleep.

#include <algorithm>

#include "common/base/time.h"

namespace ontime::simulator::faults {

class MasterClock {
 public:
  MasterClock() = default;
  MasterClock(TimePoint wall, TimePoint at_least, TimePoint now, double rate)
      : base_(std::max(wall, at_least)), since_(now), rate_(rate) {}

  TimePoint now(TimePoint true_now) const { return base_ + from_seconds(seconds(true_now - since_) * rate_); }
  // How long it really takes until this clock has advanced by so much.
  Duration true_duration(Duration shown) const { return from_seconds(seconds(shown) / rate_); }
  void jump(Duration ahead) { base_ += ahead; }

 private:
  TimePoint base_;
  TimePoint since_;
  double rate_ = 1;
};

}  // namespace ontime::simulator::faults
