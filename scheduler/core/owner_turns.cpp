#include "scheduler/core/owner_turns.h"

#include <limits>

namespace ontime::scheduler {

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
