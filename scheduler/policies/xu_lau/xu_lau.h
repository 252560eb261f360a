#pragma once
// Xu & Lau: the arithmetic of sca, sda and ese, and how they are made. docs/research/policies.md has their parameters.
//
// The paper's time is slotted; here a policy looks every `slot` and whenever a job is submitted. Durations are Pareto
// (mu, alpha), in this project's letters (t_min, beta); alpha counts as 1.05 at least, or means would be infinite.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/math/durations.h"
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
// Attempts of the job for a fit.
bool has_enough_ended(const JobView& job);

// Jobs none of whose tasks has begun: the paper's chi(l).
struct Unscheduled {
  std::vector<const JobView*> jobs;
  std::uint64_t tasks = 0;
  std::uint64_t machines = 0;  // N(l): slots that are free when everything that waits of other jobs has got one
};

// `granted`: clones per task that they have been given.
Unscheduled unscheduled_of(const View& view, const std::map<JobId, std::uint32_t>& granted);

// omega without copies: tasks of running jobs that are not done, per slot. By Little's law their long-run mean is the
// load, and what an arriving job finds is that mean.
double cluster_load(const View& view);

std::unique_ptr<Policy> make_sca(Parameters& parameters);
std::unique_ptr<Policy> make_sda(Parameters& parameters);
std::unique_ptr<Policy> make_ese(Parameters& parameters);

}  // namespace ontime::scheduler
