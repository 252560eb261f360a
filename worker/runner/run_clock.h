#pragma once
// The time that a disturbed attempt lives by. Tests have one of their own, which makes waiting instant and exact.

#include <chrono>

namespace ontime::worker {

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

}  // namespace ontime::worker
