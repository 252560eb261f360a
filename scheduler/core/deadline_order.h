#pragma once
// Which jobs are served last because they cannot all be in time. In the order of deadlines alone, one job that is too
// large makes all behind it late, and so do jobs that are late themselves.
//
// Source: J. M. Moore, Management Science 15(1), 1968, in the form that he owes to T. J. Hodgson: the fewest late jobs
// on one machine. All slots together are that machine, as if every job could use all of them.

#include <cstdint>
#include <set>
#include <span>

#include "common/base/ids.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/job.h"
#include "scheduler/core/outlook.h"

namespace ontime::scheduler {

// What a job needs to be in time.
struct Demand {
  JobId job;
  std::int32_t priority = 0;
  double work = 0;       // slot seconds that are left of it; 0: unknown
  double time_left = 0;  // seconds until its deadline; none left if not above 0
};

// The jobs without which the others can all be in time on so many slots, as few as possible if all priorities are the
// same. First those that are late even alone. Then, in the order of deadlines, whenever the work so far is too much,
// the job with the most work left of those with the lowest priority. Never one of unknown work before its deadline.
// O(n log n).
std::set<JobId> jobs_left_behind(std::span<const Demand> demands, std::uint32_t slots);

// Mean seconds per byte of the attempts of earlier jobs like this one, or else of its own: of those that have ended, or
// else of those that run. 0: these are too few. O(tasks) while few have ended and some run, else constant time.
double mean_cost(const Cluster& cluster, const Job& job, const Outlook& outlook);

}  // namespace ontime::scheduler
