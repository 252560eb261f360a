#pragma once
// Shed and Shed+: the formulas, how copies are granted to jobs and to single stragglers, what both ask of a view, and
// how the policies are made. docs/research/policies.md has their parameters.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/math/allocation.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/decision.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler::shed {

// Shed, Theorems 1 and 2: PoCD of a job that is submitted now and of one that runs; Shed+, eqs. 8, 9, 14 and 17: PoCD
// per task, a straggler's shape and the time between two optimisations.

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

namespace ontime::scheduler {

// What Shed and Shed+ have in common when they share slots out: how many copies a plan may ask for, on which nodes.
struct Sharing {
  double lambda = 1;        // share of the slots that jobs may use
  std::uint32_t max = 5;    // copies per task and plan
  bool reserve_am = false;  // one slot per running job for its ApplicationMaster
  math::Objective objective = math::Objective::SumLog;
};

// lambda, max, reserve_am, objective
Sharing sharing(Parameters& parameters);

struct CopyBudget {
  std::int64_t copies = 0;                 // never negative
  Reason when_spent = Reason::NoFreeSlot;  // what keeps further ones back
};

// kappa = lambda m - sum of N_j - |J| (Shed+ Algorithm 1, line 9): N_j counts the slots in use, which are one per
// running task when the slower attempts of raced tasks have been ended, and what waits for a slot. `ended`: slots that
// the plan itself sets free.
CopyBudget copy_budget(const View& view, const Sharing& sharing, std::uint32_t ended);

// A copy goes to another node than the attempt that it races, so two nodes that have a slot serve everybody.
class OtherNodes {
 public:
  // `ended`: attempts whose slots the plan sets free.
  OtherNodes(const View& view, const std::vector<AttemptId>& ended);

  bool has_other_than(NodeId node) const { return count_ == 2 || (count_ == 1 && nodes_[0] != node); }
  std::uint32_t slots_freed() const { return slots_freed_; }

 private:
  NodeId nodes_[2];
  std::size_t count_ = 0;
  std::uint32_t slots_freed_ = 0;
};

// When Shed+ looks (its sections IV-C, V and VI-A): at a job from xi of its deadline on, at all of them every theta
// seconds and whenever another one has come to xi. There is one clock for all jobs, so the smallest theta among the
// jobs that are looked at counts.
struct CheckTimes {
  std::optional<double> theta;  // seconds; without it by eq. 17
  double theta_prime = 0.05;    // share of what is left of the deadline after one launch
  double xi = 0.1;              // share of the deadline
};

// What it finds: one pass over the outlook's flat arrays; the tasks themselves are touched only where something is late
// or raced.
struct WatchedJob {
  const JobView* view = nullptr;
  math::Durations durations;
  bool is_lost = false;  // some task cannot be in time, whatever is done
};

struct Straggler {
  std::uint32_t job = 0;  // position among the watched ones
  TaskId task;
  std::uint64_t segment = 0;
  std::uint64_t resume_at = 0;  // where the copies are to take over
  NodeId node;                  // of the attempt that is ahead
  double completion = 0;        // by that attempt, seconds after submission
  double ln_copy = 0;           // ln of a copy's probability to miss the deadline
  bool is_told = false;         // there is a Decline for the task already
};

struct FoundStragglers {
  std::vector<Straggler> stragglers;  // that copies could bring in; in order of job and task
  std::vector<AttemptId> slower;      // attempts of raced or late tasks that are not the first on any segment
  std::vector<Decline> declined;      // late tasks that copies are no use for, at most one each, in the same order
};

// Sets is_lost of the jobs. A copy works on what is behind the hand-over and has what the launch leaves of the time for
// it; Shed+'s eqs. 6 and 9 give it all that is left now and all the time. `straggler_shape`: the shape of a copy's
// Pareto tail is the straggler's own (eq. 14), otherwise the application's.
FoundStragglers find_stragglers(const View& view, std::vector<WatchedJob>& jobs, bool straggler_shape);

std::unique_ptr<Policy> make_shed(Parameters& parameters);
std::unique_ptr<Policy> make_shed_plus(Parameters& parameters);

}  // namespace ontime::scheduler
