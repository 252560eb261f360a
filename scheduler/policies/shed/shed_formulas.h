#pragma once
// Shed, Theorems 1 and 2: PoCD of a job that is submitted now and of one that runs; Shed+, eqs. 8, 9, 14 and 17: PoCD
// per task, a straggler's shape and the time between two optimisations.

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/math/allocation.h"
#include "scheduler/math/pocd.h"

namespace ontime::scheduler::shed {

// Times in any one unit, from the job's start. A new job has tau = phi = 0.
struct ShedJob {
  double tasks = 1;     // N
  double t_min = 0;     // > 0: shortest possible execution time
  double beta = 0;      // > 0: shape
  double deadline = 0;  // D
  double tau = 0;       // time of the optimisation
  double phi = 0;       // progress of the slowest task at tau, in [0, 1]
};

// ln P(one attempt at the rest of a task takes longer than D - tau) = beta ln((1 - phi) t_min / (D - tau)), clamped to
// a probability: 0 when even the highest speed or no time is enough, -inf when no work is left. Shed+ eq. 9 for one
// attempt; beta = inf (see straggler_shape) is allowed.
double ln_attempt_miss(double beta, double phi, double t_min, double deadline, double tau);

// ln p of a task with r copies besides the attempt that is kept: (r + 1) ln_attempt_miss. The paper treats the kept
// attempt as drawn anew.
double ln_miss(const ShedJob& job, double r);

// Theorem 1 (new job) and Theorem 2 (running job).
math::Pocd shed_pocd(const ShedJob& job, double r);

// No allocation can save it: (1 - phi) t_min >= D - tau.
bool is_hopeless(double phi, double t_min, double deadline, double tau);

// beta = t_rem / (t_rem - (1 - phi) t_min), Shed+ eq. 14: the shape for which the task's expected remaining time is
// t_rem. Accurate next to the pole. Infinite where the paper's value is negative or infinite, t_rem <= (1 - phi) t_min:
// such a task finishes at the shortest time possible.
double straggler_shape(double t_rem, double phi, double t_min);

// theta = (D - t_avg) theta' + t_avg, Shed+ eq. 17: time between optimisations. t_avg: mean launch time of an attempt;
// theta' in [0, 1].
double check_interval(double deadline, double t_avg, double theta_prime);

// Shed: one r per job.

struct ShedGrant {
  std::vector<std::uint32_t> r;  // copies per task, per job
  std::vector<double> ln_pocd;   // ln R_j with them
  math::GrantValue total;
};

// The best r_j with sum of N_j r_j <= kappa, r_j <= limit; hopeless jobs get nothing and do not count. Exact for
// MaxMin: Algorithm 1, lines 8-21, with the cap MAX of the evaluation. For the sums exact up to kExactCells
// (allocation.h), above that within total.bound - total.value. N_j is rounded down.
ShedGrant allocate_shed(std::span<const ShedJob> jobs, std::int64_t kappa, math::CopyLimit limit,
                        math::Objective objective);

// Shed+: copies for single straggling tasks, jointly over all jobs.

// A job as the grant sees it: what its copies cannot change, and its straggling tasks.
struct JobOdds {
  double ln_rest = 0;  // ln of the probability that all tasks that get no copies make it; -inf: the job is lost
  std::vector<math::TaskOdds> stragglers;

  // Some task cannot make it, with however many copies.
  bool is_hopeless() const;
};

struct ShedPlusGrant {
  std::vector<std::vector<std::uint32_t>> copies;  // r_i per straggler, per job
  std::vector<double> ln_pocd;                     // ln R_j with them
  math::GrantValue total;
};

// The best copies with their sum <= kappa and none above limit; hopeless jobs get nothing and do not count.
// SumLog: by marginal gains on ln R in one heap over all jobs, O((n + kappa) log n), exact, since a task's gains only
// shrink. MaxMin: exact. SumPocd: exact up to kExactCells (allocation.h), above that within total.bound - total.value.
//
// The paper's Algorithm 1 gives one copy at a time to the smallest R_j and in it to the smallest R_i, which is not
// where it raises R_j most, and feeds hopeless jobs first, since their R_j stays 0.
//
// Where a kept attempt is certain to miss a job may have R = 0 until some of its tasks have a copy. SumLog then first
// serves the jobs that lack fewest, as many as fit, and leaves the others out: the most jobs, though not always the
// best ones.
ShedPlusGrant allocate_shed_plus(std::span<const JobOdds> jobs, std::int64_t kappa, math::CopyLimit limit,
                                 math::Objective objective);

}  // namespace ontime::scheduler::shed
