#pragma once
// Tasks of a job to look at again, each at its time. O(log n) each, so that a plan costs what is due and not what waits.

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "common/base/time.h"

namespace ontime::scheduler {

class LaterTasks {
 public:
  void add(std::uint32_t task, TimePoint at) { queue_.emplace(at, task); }
  // TimePoint::max() if there are none.
  TimePoint next() const { return queue_.empty() ? TimePoint::max() : queue_.top().first; }
  // The one that has been due for longest. REQUIRES: there is one.
  std::uint32_t take() {
    const std::uint32_t task = queue_.top().second;
    queue_.pop();
    return task;
  }

 private:
  using Entry = std::pair<TimePoint, std::uint32_t>;  // the earliest is first, then the lowest index
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace ontime::scheduler
