#include "scheduler/pocd/job_growth.h"

#include <algorithm>
#include <bit>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {

bool JobOdds::is_hopeless() const {
  return ln_rest == -kInfinity || std::any_of(stragglers.begin(), stragglers.end(), [](const TaskOdds& task) {
           return task.ln_kept >= 0 && task.ln_copy >= 0;
         });
}

JobGrowth::JobGrowth(const JobOdds& odds, CopyLimit limit, NextCopy rule)
    : odds_(odds),
      limit_(limit),
      rule_(rule),
      copies_(odds.stragglers.size()),
      leaves_(std::bit_ceil(odds.stragglers.size() + 1)),
      sums_(2 * leaves_) {
  sums_.back() = odds.ln_rest;  // the last leaf; there is one more than stragglers
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    sums_[leaves_ + i] = odds.stragglers[i].ln_pocd(0);
    offer(i);
  }
  for (std::size_t node = leaves_ - 1; node > 0; --node) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
}

void JobGrowth::grow() {
  const std::size_t task = next_.top().second;
  next_.pop();
  set_term(task, odds_.stragglers[task].ln_pocd(++copies_[task]));
  offer(task);
}

void JobGrowth::set_term(std::size_t task, double ln) {
  std::size_t node = leaves_ + task;
  sums_[node] = ln;
  while (node /= 2) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
}

void JobGrowth::offer(std::size_t task) {
  if (!may_grow(copies_[task], limit_)) return;
  const double now = sums_[leaves_ + task];
  if (rule_ == NextCopy::LeastLikely) {
    next_.emplace(now, task);
    return;
  }
  const double gain = odds_.stragglers[task].ln_pocd(copies_[task] + 1) - now;
  if (gain > 0) next_.emplace(-gain, task);  // false for the NaN of a hopeless task
}

}  // namespace ontime::scheduler::pocd
