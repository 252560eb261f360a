#pragma once
// What the policies of Xu & Lau (sca, sda, ese) have in common: how long a job's tasks take, which tasks are slow by
// their remaining time, which jobs have not begun, how loaded the cluster is.
//
// The paper's time is slotted; here a policy looks every `slot` and whenever a job is submitted. Durations are Pareto
// (mu, alpha), in this project's letters (t_min, beta); alpha counts as 1.05 at least, or means would be infinite.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler::xu_lau {

// Xu & Lau, section IV (eqs. 8-13): how long a job of cloned Pareto tasks takes and what it costs. In closed form, so
// no numerical integration is needed.

// m tasks with c copies each, durations Pareto(mu, alpha); c >= 1 may be fractional. Times in the unit of mu.
struct ClonedJob {
  double tasks = 1;  // m
  double mu = 0;     // shortest duration of a copy
  double alpha = 0;  // shape
};

// E[d], eq. 12: until the last task is done. Infinite for alpha c <= 1.
double cloned_job_time(const ClonedJob& job, double copies);

// E[t_j], until one task's first copy is done. Infinite for alpha c <= 1.
double cloned_task_time(const ClonedJob& job, double copies);

// m c E[t_j], eq. 13 with gamma = 1: machine time of the job.
double cloned_machine_time(const ClonedJob& job, double copies);

// Xu & Lau, section III (eqs. 1-5, Theorem 1): the load up to which cloning every task pays, if each machine is an
// M/G/1 queue of Pareto tasks.

// omega = lambda E[m] E[s] / M: load without copies, dimensionless, >= 0. alpha > 1: shape of the task durations.

// omega_sat = (2 alpha - 1) / (4 (alpha - 1)), Theorem 1: where two copies per task overload the cluster.
double clone_saturation(double alpha);

// omega_U: cloning shortens the mean delay of a task below this load. The root of eq. 1 (delay without copies) = eq. 3
// (with two copies) for alpha > 2; for alpha <= 2 any load is better cloned than not as long as it is stable: omega_sat
// (which exceeds 1 for alpha < 1.5).
double cutoff_load(double alpha);

// Xu & Lau, section IV-A: problem P2 of the Smart Cloning Algorithm (SCA), solved directly. The paper relaxes c to real
// numbers, leaves the rounding open and iterates with step sizes that do not converge on its own example.

struct CloneBudget {
  std::uint64_t machines = 0;    // N: capacity, at least one per task
  double gamma = 0;              // price of machine time against flow time, >= 0
  std::uint32_t copies_max = 1;  // r >= 1
};

// U - cost of one job, the part that c decides: -E[d] - gamma m c E[t].
double cloning_value(const ClonedJob& job, double copies, double gamma);

struct CloningPlan {
  std::vector<std::uint32_t> copies;  // c per job, 1 <= c <= r
  double value = 0;                   // sum of cloning_value
  double bound = 0;                   // no plan is better than this; equal to value where the method was exact
  std::uint64_t machines = 0;         // sum of m c <= N
};

// The best integer plan; exact for as many jobs and machines as a dynamic programme can take (see allocation.h), above
// that within bound - value. All ones if the tasks alone fill the machines; P2 then has no solution.
CloningPlan plan_cloning(std::span<const ClonedJob> jobs, const CloneBudget& budget);

// Xu & Lau, section V (eqs. 18-28): the Straggler Detection Algorithm (SDA). A task whose remaining time exceeds
// sigma E[x] is a straggler and gets c - 1 copies. Everything is divided by mu, the shortest duration, so results are
// dimensionless. Durations x are Pareto(mu, alpha), alpha > 1.

// tau(c, sigma) / mu = E[c d | straggler], eq. 26 with G where the paper prints 1 - G: machine time that a detected
// straggler still costs with c attempts in all, c = 1 meaning no copy. Domain: sigma E[x] >= mu.
double straggler_cost(double alpha, double sigma, double copies);

// J / mu, eq. 22: expected machine time of a task when stragglers are detected after the fraction s of their work,
// 0 <= s < 1.
double detection_cost(double alpha, double sigma, double copies, double s);

// sigma*, eq. 28: the detection limit that minimises J for a given c >= 2; does not depend on s or mu. Solves
// a = c E[min(y, a)], a = sigma E[x], y the fastest of c - 1 copies. 1 + sqrt(2)/2 for alpha = 2, c = 2.
double best_detection_limit(double alpha, double copies);

struct DetectionRule {
  std::uint32_t copies = 1;  // c*
  double sigma = 0;          // sigma*
  double cost = 0;           // J / mu for s = 0
};

// c* and sigma* together, c in 2..8. The paper's Theorem 3 says c* = 2; that holds for alpha > 1.559, below it is 3.
DetectionRule best_detection_rule(double alpha);

// Xu & Lau, section VI (eqs. 30-33): Enhanced Speculative Execution (ESE), for heavily loaded clusters. Machines become
// free rarely, so a running task of duration x is looked at once, at an instant uniform on [0, x]; if what remains then
// exceeds sigma E[x] it gets one copy. Durations are Pareto(mu, alpha), alpha > 1.

// sigma* that minimises the machine time E[R] of a task, eq. 30 with gamma = 1. It solves the same equation as SDA's
// for c = 2: the looking instant drops out.
double best_enhanced_limit(double alpha);

}  // namespace ontime::scheduler::xu_lau

namespace ontime::scheduler {

inline constexpr double kXuLauSlot = 0.5;  // seconds; the default of `slot`

// Durations of a job's tasks, those of mean size; times in seconds.
struct TaskTimes {
  double mu = 0;
  double alpha = 2;
  double mean = 0;          // E[x] with its launch: what a copy started now would take
  bool is_settled = false;  // rests on a fit, or on nothing that more attempts would improve
  double split_bytes = 1;
  math::Durations durations;
};

// Nothing while t_min is not known.
std::optional<TaskTimes> task_times(const View& view, const JobView& job, const math::DurationHints& hints);
xu_lau::ClonedJob cloned_job(const JobView& job, const TaskTimes& times);

// When a remaining time is too long; chosen per job when durations are first known, and again when they rest on a fit.
struct DetectionLimit {
  TaskTimes times;
  double sigma = 0;
  std::uint32_t copies = 2;  // attempts of a straggler in all
  double seconds() const { return sigma * times.mean; }
};

// The limits of all jobs.
class DetectionLimits {
 public:
  // `limit_for`: the choice, from a job's durations.
  DetectionLimits(math::DurationHints hints, std::function<DetectionLimit(const TaskTimes&)> limit_for)
      : hints_(hints), limit_for_(std::move(limit_for)) {}

  // Chosen when the job's durations are first known, and once more when they rest on a fit; a note says what was
  // chosen. Null while they are not known.
  const DetectionLimit* find(const View& view, const JobView& job, Plan& plan);
  // What a copy started now would take, in seconds; infinite while that is not known.
  double mean_of(const JobView& job) const;
  // Jobs that run no longer are taken out.
  void forget_ended(const View& view);

 private:
  math::DurationHints hints_;
  std::function<DetectionLimit(const TaskTimes&)> limit_for_;
  std::map<JobId, DetectionLimit> limits_;
};

// A task whose remaining time is longer than its job's limit, and that is left with one attempt.
struct SlowTask {
  const JobView* job;
  std::uint32_t index;
  double remaining;  // seconds, may be infinite
  OpenSegment segment;  // the one that is done last
};

// Tasks to be declined are put into `plan`: those that have raced attempts, and those with an unknown end.
std::vector<SlowTask> slow_tasks(const View& view, const JobView& job, const DetectionLimit& limit,
                                 double least_progress, Plan& plan);

Speculate duplicate(const SlowTask& slow, std::uint32_t copies);

// Jobs none of whose tasks has begun: the paper's chi(l).
class Unscheduled {
 public:
  explicit Unscheduled(const View& view, const std::map<JobId, std::uint32_t>& granted);

  const std::vector<const JobView*>& jobs() const { return jobs_; }
  std::uint64_t tasks() const { return tasks_; }
  // N(l): slots that are free when everything that waits of other jobs has got one.
  std::uint64_t machines() const { return machines_; }

 private:
  std::vector<const JobView*> jobs_;
  std::uint64_t tasks_ = 0;
  std::uint64_t machines_ = 0;
};

// omega without copies: tasks of running jobs that are not done, per slot. By Little's law their long-run mean is the
// load, and what an arriving job finds is that mean.
double cluster_load(const View& view);

// Xu & Lau's Smart Cloning Algorithm (section IV, Algorithm 1), for lightly loaded clusters: jobs that have not begun
// get c copies of every task, the integer optimum of problem P2 over all of them within the free slots, as long as the
// load is below the cut-off (section III, eqs. 1 to 5) and their tasks alone do not fill the slots. Otherwise one each.
// Jobs with the fewest tasks left get slots first.
//
// Parameters: gamma 0.01 (price of machine time against flow time), r 8 (most copies per task, at most 50), cutoff
// (load; by default omega_U of the tasks' alpha, the smallest among the jobs), slot 0.5 s, t_min, beta, t_avg, fit.
// A job of whose durations nothing is known counts as t_min = 1 s: for a single job c does not depend on it.
// Nothing is declined; a job's note says why its tasks have that many copies.

class Sca final : public Policy {
 public:
  explicit Sca(Parameters& parameters);
  JobOrder order() const override { return JobOrder::ShortestRemaining; }
  Plan plan(const View& view) override;

 private:
  struct Choice {
    std::vector<std::uint32_t> copies;  // by unscheduled job
    std::string why;
  };
  Choice choose(const View& view, const Unscheduled& unscheduled) const;

  double gamma_;
  std::uint32_t copies_max_;
  std::optional<double> cutoff_;
  double slot_;
  math::DurationHints hints_;
  std::map<JobId, std::uint32_t> clones_;  // granted to jobs that have not begun
};

// Xu & Lau's Straggler Detection Algorithm (section V): a task that has done the share s of its work and whose
// estimated remaining time is longer than sigma E[x] gets c - 1 copies, once. sigma* and c* are what costs the least
// machine time (eqs. 18 to 28): c* = 2 for alpha > 1.56, 3 below. Jobs with the fewest tasks left get slots first.
//
// Parameters: s 0.1 (the paper leaves it open; small values do best), sigma and c (attempts of a straggler in all; by
// default sigma* and c* of the tasks' alpha), slot 0.5 s, t_min, beta, t_avg, fit. E[x] is the launch time and the mean
// execution time. Until five attempts have finished, or with a profile, t_min is the fastest attempt's pace.
// Declines slow tasks that have not done s (too-young), have copies (already-speculating) or find no slot
// (no-free-slot), and compressed inputs (no-estimate).

class Sda final : public Policy {
 public:
  explicit Sda(Parameters& parameters);
  JobOrder order() const override { return JobOrder::ShortestRemaining; }
  bool plans_at_submission() const override { return false; }
  Plan plan(const View& view) override;

 private:
  DetectionLimit limit_for(const TaskTimes& times) const;

  double s_;
  std::optional<double> sigma_;
  std::optional<std::uint32_t> copies_;
  PeriodicCheck clock_;
  DetectionLimits limits_;
};

// Xu & Lau's Enhanced Speculative Execution (section VI, Algorithm 2), for heavily loaded clusters: of the running
// tasks with one attempt those whose remaining time is longer than sigma E[x] get one copy each, the longest first, and
// before anything that waits. sigma* is what costs the least machine time (eqs. 30 to 33). Jobs with the fewest tasks
// left get slots first. Small jobs that have not begun (m < eta N / |chi| and E[x] < xi) get clones by eq. 29 when
// slots are left.
//
// In the paper a slot begins with the machines that have become idle; here waiting tasks take a slot as it becomes
// free, so under load none is ever idle when the policy looks. It asks ahead for as many copies as slots will become
// free until it looks again (live attempts x slot / E[x]); they are launched first. ahead=no keeps to idle slots.
// With xi=0s there are no clones.
//
// Parameters: sigma (by default sigma* of the tasks' alpha), gamma 0.01, r 8, eta 0.1, xi 1s (the paper's units; with
// them it never clones in the paper's own simulation), ahead yes, slot 0.5 s, t_min, beta, t_avg, fit.
// Declines slow tasks that have copies (already-speculating) or that find no slot (no-free-slot), and compressed inputs
// (no-estimate).

class Ese final : public Policy {
 public:
  explicit Ese(Parameters& parameters);
  JobOrder order() const override { return JobOrder::ShortestRemaining; }
  bool plans_at_submission() const override { return xi_ > 0; }  // for clones of small jobs
  Plan plan(const View& view) override;

 private:
  void look(const View& view, Plan& plan, std::uint32_t& idle);
  void clone_small_jobs(const View& view, Plan& plan, std::uint32_t idle);
  std::uint32_t best_copies(const xu_lau::ClonedJob& job, std::uint64_t room) const;

  std::optional<double> sigma_;
  double gamma_;
  std::uint32_t copies_max_;
  double eta_;
  double xi_;
  bool is_ahead_;
  PeriodicCheck clock_;
  math::DurationHints hints_;
  DetectionLimits limits_;
  std::map<JobId, std::uint32_t> clones_;  // granted to jobs that have not begun
};

}  // namespace ontime::scheduler
