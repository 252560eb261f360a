#pragma once
// Whose turn it is to get a slot, where jobs of several owners wait: the owner whose attempts hold the fewest comes
// first. So nobody gets more than others by submitting more jobs, or jobs with shorter deadlines; among the jobs of one
// owner it goes by rank. No attempt is ended for it: what one owner holds goes to others as it becomes free.
//
// For one round of giving out slots, in which WaitingJobs changes only by jobs that leave it, each when its turn is
// settled and does not come again. Choosing costs the logarithm of the number of owners.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/core/cluster.h"
#include "scheduler/core/waiting_jobs.h"

namespace ontime::scheduler {

// What an owner may have of `all`, rounded down: 29 of 100 with a share of 0.29, which is less in binary.
inline std::uint64_t share_of(std::uint64_t all, double share) {
  return static_cast<std::uint64_t>(share * static_cast<double>(all) + 1e-6);
}

class OwnerTurns {
 public:
  // No owner gets to hold more than `most` slots, speculative copies included. Jobs without an owner have no bound.
  OwnerTurns(const WaitingJobs& waiting, const Cluster& cluster, std::size_t most);

  // The job whose turn it is; nothing if there is none left.
  std::optional<JobId> next() const;
  // The result of its turn, and whether it can use another slot now; otherwise its owner's next job follows.
  void settle(bool took_slot, bool comes_again);

 private:
  struct Owner {
    std::set<WaitingJobs::Entry>::const_iterator job;
    std::set<WaitingJobs::Entry>::const_iterator end;
    std::size_t most;
  };
  using Turn = std::pair<std::size_t, std::size_t>;  // slots held, index into owners_

  std::vector<Owner> owners_;
  std::set<Turn> turns_;
};

}  // namespace ontime::scheduler
