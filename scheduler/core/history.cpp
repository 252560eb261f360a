#include "scheduler/core/history.h"

#include <iterator>

#include "scheduler/core/job.h"

namespace ontime::scheduler {
namespace {

constexpr std::uint64_t kBytesLikeATask = 128;

std::uint64_t bytes_of(const StringMap& parameters) {
  std::uint64_t bytes = 0;
  for (const auto& [name, value] : parameters) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace

void History::add(JobId id, const Job& job) {
  const std::uint64_t bytes = bytes_of(job.spec.parameters) + bytes_of(job.spec.policy_parameters);
  const std::uint64_t tasks = job.tasks.size() + bytes / kBytesLikeATask;
  if (ended_.insert({job.ended_at, id, tasks}).second) tasks_ += tasks;
}

std::set<History::Ended>::const_iterator History::first_but(JobId newest) const {
  const auto first = ended_.begin();
  return first != ended_.end() && first->job == newest ? std::next(first) : first;
}

std::optional<JobId> History::take_surplus(TimePoint now, JobId newest) {
  const auto first = first_but(newest);
  if (first == ended_.end()) return std::nullopt;
  const bool is_old = limits_.age > Duration::zero() && first->at + limits_.age <= now;
  const bool is_latest = std::next(first) == ended_.end();  // somebody may wait for its end
  const bool has_room = is_latest || tasks_ <= limits_.tasks;
  if (!is_old && ended_.size() <= limits_.jobs && has_room) return std::nullopt;
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

std::size_t ProfileTable::bytes_of(const std::string& key, const math::DurationSample& sample) {
  const std::size_t durations =
      sample.finished().size() + sample.censored().size() + sample.launches().size() + sample.warm_launches().size();
  return 2 * key.size() + durations * sizeof(double);
}

const math::DurationSample* ProfileTable::find(const std::string& key) const {
  const auto found = profiles_.find(key);
  return found == profiles_.end() ? nullptr : &found->second.sample;
}

void ProfileTable::update(const std::string& key, const math::DurationSample& sample, TimePoint at) {
  forget(key);
  ++changes_;
  profiles_.emplace(key, Profile{sample, at});
  order_.emplace(at, key);
  bytes_ += bytes_of(key, sample);
}

void ProfileTable::forget(const std::string& key) {
  const auto found = profiles_.find(key);
  if (found == profiles_.end()) return;
  ++changes_;
  bytes_ -= bytes_of(key, found->second.sample);
  order_.erase({found->second.updated_at, key});
  profiles_.erase(found);
}

std::optional<std::string> ProfileTable::surplus(std::size_t kept) const {
  if (order_.empty() || (profiles_.size() <= kept && bytes_ <= kBytesMax)) return std::nullopt;
  return order_.begin()->second;
}

}  // namespace ontime::scheduler
