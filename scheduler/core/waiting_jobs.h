#pragma once
// The running jobs that may have something to launch, by rank, ties by id, and the order in which owners get slots.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/job.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// What a job is ordered by: smaller is earlier.
struct Rank {
  std::int32_t priority = 0;  // the job's, negated
  bool has_none = false;      // no deadline, where jobs go by their deadlines
  bool is_behind = false;     // it cannot be in time, or not with the others (see deadline_order.h)
  double value = 0;           // by its order: a time or bytes. Those of different orders do not compare usefully
  auto operator<=>(const Rank&) const = default;
};
Rank rank_of(const Job& job, JobOrder order, bool is_behind);

class WaitingJobs {
 public:
  using Entry = std::pair<Rank, JobId>;

  // Also moves a job that waits already.
  void insert(JobId job, const std::string& owner, Rank rank);
  void erase(JobId job);
  bool contains(JobId job) const { return positions_.contains(job); }
  const std::set<Entry>& in_order() const { return entries_; }
  // None of them is empty.
  const std::map<std::string, std::set<Entry>>& by_owner() const { return by_owner_; }

 private:
  struct Position {
    std::string owner;
    Rank rank;
  };
  std::set<Entry> entries_;
  std::map<std::string, std::set<Entry>> by_owner_;
  std::map<JobId, Position> positions_;
};

// Whose turn it is to get a slot, where jobs of several owners wait: the owner whose attempts hold the fewest comes
// first. So nobody gets more than others by submitting more jobs, or jobs with shorter deadlines; among the jobs of one
// owner it goes by rank. No attempt is ended for it: what one owner holds goes to others as it becomes free.
//
// For one round of giving out slots, in which WaitingJobs changes only by jobs that leave it, each when its turn is
// settled and does not come again. Choosing costs the logarithm of the number of owners.

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
