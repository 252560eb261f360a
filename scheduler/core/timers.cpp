#include "scheduler/core/timers.h"

#include <algorithm>
#include <functional>

namespace ontime::scheduler {

void Timers::arm(const Timer& timer, TimePoint at) {
  armed_[timer] = at;
  push({at, timer});
  drop_outdated();
}

void Timers::disarm(const Timer& timer) {
  if (armed_.erase(timer) != 0) drop_outdated();
}

std::optional<TimePoint> Timers::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().first;
}

std::optional<Timer> Timers::take_due(TimePoint now) {
  if (heap_.empty() || heap_.front().first > now) return std::nullopt;
  const Timer timer = heap_.front().second;
  disarm(timer);
  return timer;
}

void Timers::push(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

bool Timers::is_outdated(const Entry& entry) const {
  const auto armed = armed_.find(entry.second);
  return armed == armed_.end() || armed->second != entry.first;
}

void Timers::drop_outdated() {
  while (!heap_.empty() && is_outdated(heap_.front())) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
  }
  if (heap_.size() < 64 + 4 * armed_.size()) return;
  std::erase_if(heap_, [this](const Entry& entry) { return is_outdated(entry); });
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

}  // namespace ontime::scheduler
