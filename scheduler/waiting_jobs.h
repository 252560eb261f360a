#pragma once
// The running jobs that may have something to launch, in the order in which they get slots: by rank, ties by id.

#include <map>
#include <set>
#include <utility>

#include "common/base/ids.h"
#include "scheduler/model/job.h"
#include "scheduler/policy/policy.h"

namespace ontime::scheduler {

// What a job is ordered by: smaller is earlier. All ranks are times or bytes; jobs of different orders in one cluster
// do not compare in a useful way, but always in the same way.
double rank_of(const Job& job, JobOrder order);

class WaitingJobs {
 public:
  using Entry = std::pair<double, JobId>;

  // Also moves a job that waits already.
  void insert(JobId job, double rank) {
    erase(job);
    ranks_.emplace(job, rank);
    entries_.emplace(rank, job);
  }
  void erase(JobId job) {
    const auto found = ranks_.find(job);
    if (found == ranks_.end()) return;
    entries_.erase({found->second, job});
    ranks_.erase(found);
  }
  bool contains(JobId job) const { return ranks_.contains(job); }
  const std::set<Entry>& in_order() const { return entries_; }

 private:
  std::set<Entry> entries_;
  std::map<JobId, double> ranks_;
};

}  // namespace ontime::scheduler
