#include "scheduler/timers.h"

namespace ontime::scheduler {

void Timers::arm(const Timer& timer, TimePoint at) {
  disarm(timer);
  by_time_.emplace(at, timer);
  armed_.emplace(timer, at);
}

void Timers::disarm(const Timer& timer) {
  const auto found = armed_.find(timer);
  if (found == armed_.end()) return;
  by_time_.erase({found->second, timer});
  armed_.erase(found);
}

std::optional<TimePoint> Timers::next() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

std::optional<Timer> Timers::take_due(TimePoint now) {
  if (by_time_.empty() || by_time_.begin()->first > now) return std::nullopt;
  const Timer timer = by_time_.begin()->second;
  disarm(timer);
  return timer;
}

}  // namespace ontime::scheduler
