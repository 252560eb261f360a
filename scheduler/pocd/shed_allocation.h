#pragma once
// Shed: one r per job. The best grants and the paper's Algorithm 1.

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/pocd/allocation.h"
#include "scheduler/pocd/shed_pocd.h"

namespace ontime::scheduler::pocd {

struct ShedGrant {
  std::vector<std::uint32_t> r;  // copies per task, per job
  std::vector<double> ln_pocd;   // ln R_j with them
  GrantValue total;
};

// The best r_j with sum of N_j r_j <= kappa, r_j <= limit; hopeless jobs get nothing and do not count. Exact for
// MaxMin; for the sums exact up to kExactCells (ladder.h), above that within total.bound - total.value. N_j is rounded
// down.
ShedGrant allocate_shed(std::span<const ShedJob> jobs, std::int64_t kappa, CopyLimit limit, Objective objective);

// Algorithm 1, lines 8-21, with the cap MAX on r_j of the evaluation: one copy per task to the job with the smallest
// R_j, the lowest index on ties, until nothing fits. Its lines 4-6 for a single job give the same. Max-min optimal if
// no job is hopeless or they are skipped; total.value is the smallest R.
ShedGrant shed_listing(std::span<const ShedJob> jobs, std::int64_t kappa, CopyLimit limit, HopelessJobs hopeless);

}  // namespace ontime::scheduler::pocd
