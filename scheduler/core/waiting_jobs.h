#pragma once
// The running jobs that may have something to launch, by rank, ties by id: all, and those of each owner.

#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "scheduler/core/job.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// What a job is ordered by: smaller is earlier. All ranks are times or bytes; jobs of different orders in one cluster
// do not compare in a useful way, but always in the same way.
double rank_of(const Job& job, JobOrder order);

class WaitingJobs {
 public:
  using Entry = std::pair<double, JobId>;

  // Also moves a job that waits already.
  void insert(JobId job, const std::string& owner, double rank);
  void erase(JobId job);
  bool contains(JobId job) const { return positions_.contains(job); }
  const std::set<Entry>& in_order() const { return entries_; }
  // None of them is empty.
  const std::map<std::string, std::set<Entry>>& by_owner() const { return by_owner_; }

 private:
  struct Position {
    std::string owner;
    double rank = 0;
  };
  std::set<Entry> entries_;
  std::map<std::string, std::set<Entry>> by_owner_;
  std::map<JobId, Position> positions_;
};

}  // namespace ontime::scheduler
