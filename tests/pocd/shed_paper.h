#pragma once
// What Shed and Shed+ print and nothing ships: their Algorithm 1 to the letter, eq. 14 beyond its pole, the odds of a
// whole running job. Kept to check them against the golden files, and what is shipped against them.

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/policies/shed/shed.h"

namespace ontime::scheduler::shed {

// Shed+ eq. 14 to the letter: negative for t_rem < (1 - phi) t_min.
double straggler_shape_as_printed(double t_rem, double phi, double t_min);

// A running task at time tau of its job.
struct RunningTask {
  double phi = 0;          // progress, in [0, 1]
  double beta = 0;         // shape for its attempts, eq. 14 (may be infinite)
  bool straggler = false;  // may get copies
};

// Times in any one unit, from the job's start.
struct RunningJob {
  double deadline = 0;  // D
  double t_min = 0;
  double tau = 0;
  std::vector<RunningTask> tasks;  // that still run
};

// Eqs. 8 and 9: the odds of a job's stragglers, the rest of its tasks in one number.
JobOdds odds_of(const RunningJob& job);

// What the listings do with jobs that no allocation can save: as printed they are fed first, since their R stays 0.
enum class HopelessJobs { Feed, Skip };

// Shed's Algorithm 1, lines 8-21, with the cap MAX on r_j of the evaluation: one copy per task to the job with the
// smallest R_j, the lowest index on ties, until nothing fits.
ShedGrant shed_listing(std::span<const ShedJob> jobs, std::int64_t kappa, math::CopyLimit limit, HopelessJobs hopeless);

// Shed+'s Algorithm 1, lines 7-26: one copy at a time to the job with the smallest R_j, and in it to the straggler with
// the smallest R_i; the lowest index on ties.
ShedPlusGrant shed_plus_listing(std::span<const JobOdds> jobs, std::int64_t kappa, math::CopyLimit limit,
                                HopelessJobs hopeless);

}  // namespace ontime::scheduler::shed
