#pragma once
// One job of Shed+ while copies are given to its straggling tasks one by one.

#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
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

// Which straggler gets the job's next copy; the lowest index on ties.
enum class NextCopy {
  BestGain,    // where it raises ln R_j most: best for every number of copies, since gains only shrink
  LeastLikely  // where R_i is smallest: Shed+'s Algorithm 1, line 16
};

class JobGrowth {
 public:
  // odds must outlive it.
  JobGrowth(const JobOdds& odds, CopyLimit limit, NextCopy rule);

  // ln R_j with the copies given so far. The sum is kept as a tree, so nothing cancels as terms shrink.
  double ln_pocd() const { return sums_[1]; }
  // Some straggler may get one more copy (with BestGain: and would profit).
  bool can_grow() const { return !next_.empty(); }
  // Gives one copy. REQUIRES: can_grow().
  void grow();
  const std::vector<std::uint32_t>& copies() const { return copies_; }

 private:
  void set_term(std::size_t task, double ln);
  void offer(std::size_t task);  // puts the task into the queue if it may grow

  const JobOdds& odds_;
  CopyLimit limit_;
  NextCopy rule_;
  std::vector<std::uint32_t> copies_;  // r_i per straggler
  std::size_t leaves_;
  std::vector<double> sums_;                    // binary tree of partial sums of ln R_i, root at 1
  using Turn = std::pair<double, std::size_t>;  // key, task: the smallest first
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> next_;
};

// Shed+: copies for single straggling tasks, jointly over all jobs. The best grants and the paper's Algorithm 1.

// A running task at time tau of its job.
struct RunningTask {
  double phi = 0;               // progress, in [0, 1]
  double beta = 0;              // shape for its attempts, eq. 14 (may be infinite)
  bool straggler = false;       // may get copies
  bool kept_will_miss = false;  // the kept attempt's own pace misses D: only its copies count (ERRATA SH-1)
};

// Times in any one unit, from the job's start.
struct RunningJob {
  double deadline = 0;  // D
  double t_min = 0;
  double tau = 0;
  std::vector<RunningTask> tasks;  // that still run
};

// What to find out about the tasks that get no copies. SumLog grants the same copies either way.
enum class RestOfJob {
  Odds,            // ln_rest: one logarithm and one exponential per task
  OnlyWhetherLost  // 0, or -inf if one of them cannot make it: a comparison per task; ln R_j is of the stragglers only
};

// Eqs. 8 and 9: the odds of a job's stragglers, the rest of its tasks in one number.
JobOdds odds_of(const RunningJob& job, RestOfJob rest = RestOfJob::Odds);

struct ShedPlusGrant {
  std::vector<std::vector<std::uint32_t>> copies;  // r_i per straggler, per job
  std::vector<double> ln_pocd;                     // ln R_j with them
  GrantValue total;
};

// The best copies with their sum <= kappa and none above limit; hopeless jobs get nothing and do not count.
// SumLog: by marginal gains on ln R in one heap over all jobs, O((n + kappa) log n), exact. MaxMin: exact.
// SumPocd: exact up to kExactCells (ladder.h), above that within total.bound - total.value.
// With kept_will_miss a job may have R = 0 until some of its tasks have a copy. SumLog then first serves the jobs that
// lack fewest, as many as fit, and leaves the others out: the most jobs, though not always the best ones.
ShedPlusGrant allocate_shed_plus(std::span<const JobOdds> jobs, std::int64_t kappa, CopyLimit limit,
                                 Objective objective);

// Algorithm 1, lines 7-26: one copy at a time to the job with the smallest R_j, and in it to the straggler with the
// smallest R_i; the lowest index on ties. total.value is the smallest R of the jobs that can be saved.
ShedPlusGrant shed_plus_listing(std::span<const JobOdds> jobs, std::int64_t kappa, CopyLimit limit,
                                HopelessJobs hopeless);

// Shed+ for alpha = 1: the copies that maximise the sum of ln R over all jobs.

// See allocate_shed_plus. Every copy goes where it raises the sum most; since a task's gains only shrink, that is the
// optimum. n stragglers, kappa copies: O((n + kappa) log n).
ShedPlusGrant maximise_sum_of_ln(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit);

}  // namespace ontime::scheduler::pocd
