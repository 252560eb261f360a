#include "scheduler/core/waiting_jobs.h"

#include <algorithm>

namespace ontime::scheduler {
namespace {

double value_of(const Job& job, JobOrder order) {
  switch (order) {
    case JobOrder::EarliestDeadline:
      return static_cast<double>(to_unix_ns(job.submitted_at + job.spec.deadline));
    case JobOrder::ShortestRemaining:
      return static_cast<double>(job.input_bytes) * static_cast<double>(job.tasks.size() - job.tasks_done) /
             static_cast<double>(std::max<std::size_t>(1, job.tasks.size()));
    case JobOrder::Fifo:
      break;
  }
  return 0;  // ids grow with submission
}

}  // namespace

// The least work first among those that are behind, so that some of them may still be in time, and among those without
// a deadline, so that they end soon in the mean.
Rank rank_of(const Job& job, JobOrder order, bool is_behind) {
  const bool has_none = order == JobOrder::EarliestDeadline && job.spec.deadline <= Duration::zero();
  if (has_none || is_behind) order = JobOrder::ShortestRemaining;
  return {-job.spec.priority, has_none, is_behind, value_of(job, order)};
}

void WaitingJobs::insert(JobId job, const std::string& owner, Rank rank) {
  erase(job);
  positions_.emplace(job, Position{owner, rank});
  entries_.emplace(rank, job);
  by_owner_[owner].emplace(rank, job);
}

void WaitingJobs::erase(JobId job) {
  const auto found = positions_.find(job);
  if (found == positions_.end()) return;
  const Entry entry{found->second.rank, job};
  entries_.erase(entry);
  const auto owner = by_owner_.find(found->second.owner);
  owner->second.erase(entry);
  if (owner->second.empty()) by_owner_.erase(owner);
  positions_.erase(found);
}

OwnerTurns::OwnerTurns(const WaitingJobs& waiting, const Cluster& cluster, std::size_t most) {
  for (const auto& [owner, jobs] : waiting.by_owner()) {
    const std::size_t held = cluster.live_attempts_of(owner);
    owners_.push_back({jobs.begin(), jobs.end(), owner.empty() ? std::numeric_limits<std::size_t>::max() : most});
    if (held < owners_.back().most) turns_.emplace(held, owners_.size() - 1);
  }
}

std::optional<JobId> OwnerTurns::next() const {
  if (turns_.empty()) return std::nullopt;
  return owners_[turns_.begin()->second].job->second;
}

void OwnerTurns::settle(bool took_slot, bool comes_again) {
  Turn turn = turns_.extract(turns_.begin()).value();
  Owner& owner = owners_[turn.second];
  if (took_slot) ++turn.first;
  if (!comes_again) ++owner.job;
  if (owner.job != owner.end && turn.first < owner.most) turns_.insert(turn);
}

}  // namespace ontime::scheduler
