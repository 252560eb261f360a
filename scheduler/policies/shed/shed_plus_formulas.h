#pragma once
// Shed+: copies for single straggling tasks, jointly over all jobs.

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/math/allocation.h"

namespace ontime::scheduler::pocd {

// A job as the grant sees it: what its copies cannot change, and its straggling tasks.
struct JobOdds {
  double ln_rest = 0;  // ln of the probability that all tasks that get no copies make it; -inf: the job is lost
  std::vector<TaskOdds> stragglers;

  // Some task cannot make it, with however many copies.
  bool is_hopeless() const;
};

struct ShedPlusGrant {
  std::vector<std::vector<std::uint32_t>> copies;  // r_i per straggler, per job
  std::vector<double> ln_pocd;                     // ln R_j with them
  GrantValue total;
};

// The best copies with their sum <= kappa and none above limit; hopeless jobs get nothing and do not count.
// SumLog: by marginal gains on ln R in one heap over all jobs, O((n + kappa) log n), exact, since a task's gains only
// shrink. MaxMin: exact. SumPocd: exact up to kExactCells (allocation.h), above that within total.bound - total.value.
//
// The paper's Algorithm 1 gives one copy at a time to the smallest R_j and in it to the smallest R_i, which is not where
// it raises R_j most, and feeds hopeless jobs first, since their R_j stays 0.
//
// Where a kept attempt is certain to miss a job may have R = 0 until some of its tasks have a copy. SumLog then first
// serves the jobs that lack fewest, as many as fit, and leaves the others out: the most jobs, though not always the best
// ones.
ShedPlusGrant allocate_shed_plus(std::span<const JobOdds> jobs, std::int64_t kappa, CopyLimit limit,
                                 Objective objective);

}  // namespace ontime::scheduler::pocd
