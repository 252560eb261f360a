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
#include <string>
#include <vector>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/view.h"
#include "scheduler/policies/xu_lau/xu_lau_formulas.h"

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
