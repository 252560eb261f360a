#include "scheduler/policies/split_resume/slot_queue.h"

#include <algorithm>

namespace ontime::scheduler {

SlotQueue::SlotQueue(const View& view) : is_over_(view.spare_slots() > 0) {
  std::uint32_t waiting = 0;
  for (const JobView& job : view.jobs) {
    if (job.waiting == 0) continue;
    waiting += job.waiting;
    const auto [next, is_new] = next_.try_emplace(job.job->spec.owner, place_of(job));
    if (!is_new) next->second = std::min(next->second, place_of(job));
  }
  has_others_ = view.waiting > waiting;
}

bool SlotQueue::keeps_slots(const JobView& job) const {
  if (is_over_) return true;
  const auto next = next_.find(job.job->spec.owner);
  return !has_others_ && (next == next_.end() || place_of(job) <= next->second);
}

bool are_last_served(const View& view) {
  return std::ranges::none_of(view.jobs, [](const JobView& job) {
    const bool comes_after = job.order == JobOrder::EarliestDeadline && !job.has_deadline();  // even these
    return !job.is_behind && !comes_after && job.waiting > 0;
  });
}

}  // namespace ontime::scheduler
