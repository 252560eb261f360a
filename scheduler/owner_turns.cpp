#include "scheduler/owner_turns.h"

namespace ontime::scheduler {

OwnerTurns::OwnerTurns(const WaitingJobs& waiting, const Cluster& cluster, std::size_t most) : most_(most) {
  for (const auto& [owner, jobs] : waiting.by_owner()) {
    const std::size_t held = cluster.live_attempts_of(owner);
    if (held < most_) turns_.emplace(held, owners_.size());
    owners_.push_back({jobs.begin(), jobs.end()});
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
  if (owner.job != owner.end && turn.first < most_) turns_.insert(turn);
}

}  // namespace ontime::scheduler
