#include "lab/simulator/event_queue.h"

#include "common/base/check.h"

namespace ontime::lab {

void EventQueue::Ring::push(const Upcoming& upcoming) {
  if (end_ - begin_ == ring_.size()) {
    std::vector<Upcoming> larger(2 * ring_.size());
    for (std::uint64_t i = begin_; i < end_; ++i) larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
    ring_ = std::move(larger);
  }
  ring_[end_++ & (ring_.size() - 1)] = upcoming;
}

void EventQueue::push(TimePoint at, Due due, std::uint32_t subject, std::uint32_t generation) {
  heap_.push_back({at, sequence_++, subject, generation, due});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void EventQueue::push(Lane lane, TimePoint at, Due due, std::uint32_t subject, std::uint32_t generation) {
  Ring& ring = lanes_[static_cast<std::size_t>(lane)];
  ONTIME_CHECK(ring.empty() || ring.back().at <= at, "nobody overtakes in a lane");
  ring.push({at, sequence_++, subject, generation, due});
}

bool EventQueue::empty() const {
  return heap_.empty() && std::all_of(lanes_.begin(), lanes_.end(), [](const Ring& lane) { return lane.empty(); });
}

const Upcoming& EventQueue::next() const {
  const Upcoming* earliest = heap_.empty() ? nullptr : &heap_.front();
  for (const Ring& lane : lanes_) {
    if (!lane.empty() && (earliest == nullptr || later(*earliest, lane.front()))) earliest = &lane.front();
  }
  return *earliest;
}

Upcoming EventQueue::pop() {
  const Upcoming upcoming = next();
  for (Ring& lane : lanes_) {
    if (lane.empty() || lane.front().sequence != upcoming.sequence) continue;
    lane.pop();
    return upcoming;
  }
  std::pop_heap(heap_.begin(), heap_.end(), later);
  heap_.pop_back();
  return upcoming;
}

}  // namespace ontime::lab
