#include "scheduler/history.h"

#include <iterator>

namespace ontime::scheduler {

void History::add(JobId job, TimePoint ended_at, std::uint64_t tasks) {
  if (ended_.insert({ended_at, job, tasks}).second) tasks_ += tasks;
}

std::set<History::Ended>::const_iterator History::first_but(JobId newest) const {
  const auto first = ended_.begin();
  return first != ended_.end() && first->job == newest ? std::next(first) : first;
}

std::optional<JobId> History::take_surplus(TimePoint now, JobId newest) {
  const auto first = first_but(newest);
  if (first == ended_.end()) return std::nullopt;
  const bool is_old = limits_.age > Duration::zero() && first->at + limits_.age <= now;
  if (!is_old && ended_.size() <= limits_.jobs && tasks_ <= limits_.tasks) return std::nullopt;
  const JobId job = first->job;
  tasks_ -= first->tasks;
  ended_.erase(first);
  return job;
}

std::optional<TimePoint> History::next_expiry(JobId newest) const {
  const auto first = first_but(newest);
  if (limits_.age == Duration::zero() || first == ended_.end()) return std::nullopt;
  return first->at + limits_.age;
}

}  // namespace ontime::scheduler
