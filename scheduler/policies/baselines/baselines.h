#pragma once
// The baselines that papers compare with: the arithmetic of each, and how it is made. docs/research/policies.md has
// their parameters. Their copies start at the segment's begin.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/math/durations.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

class Declines;

// Dolly --------------------------------------------------------------------------------------------------------------

// c with 1 - (1 - p^c)^N = epsilon: total attempts per task, a real number. p in (0, 1): probability that one attempt
// straggles; N >= 1 tasks; epsilon in (0, 1). Shed prints the root 1/p where 1/N is meant, which ignores N.
double dolly_copies(double p, double tasks, double epsilon);
// The same, rounded up to a number of attempts >= 1.
std::uint32_t dolly_clones(double p, double tasks, double epsilon);
// (k + 1/2) / (n + 1), k of n durations being above 1.5 times the median (the upper one of two). REQUIRES: not empty.
double straggler_share(std::span<const double> durations);

std::unique_ptr<Policy> make_dolly(Parameters& parameters);

// Hadoop -------------------------------------------------------------------------------------------------------------

// Mean and spread of durations, Hadoop's DataStatistics, and what its estimators conclude about a new attempt. Unit:
// the durations' unit. All 0 while nothing is counted.
class DurationStatistics {
 public:
  void add(double duration);

  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  double deviation() const;  // of the population; 0 for one duration

  // mean + sigma deviation: longer is an outlier.
  double outlier(double sigma) const { return mean_ + sigma * deviation(); }

  // Upper end of the mean's 95 % confidence interval, mean + 1.96 deviation / sqrt(n); from a single duration the mean.
  double mean_bound() const;

  // What the simple exponential estimator expects of a new attempt: m + min(m / 4, deviation / 2), m = mean_bound.
  double new_attempt() const;

 private:
  std::size_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared distances from the mean (Welford)
};

// How many copies a job may have at a time: the greatest of the three.
struct HadoopCap {
  std::uint32_t minimum_allowed_tasks = 10;
  double total_tasks = 0.01;   // share
  double running_tasks = 0.1;  // share

  std::uint32_t of(std::size_t tasks, std::size_t running) const;
};

std::unique_ptr<Policy> make_hadoop(Parameters& parameters);

// LATE and Hopper ----------------------------------------------------------------------------------------------------

// LATE's search for slow tasks, which Hopper borrows.
//
// A task's progress rate is what is left of it over the time left by the job's outlook, (1 - progress) / (end - now),
// in 1/s; a finished task's is 1 / duration. Attempts about to end (end <= now) are not judged. A running task is slow
// if its rate is
//   paper  below the slow_task percentile (default the 25th) of the job's running and finished tasks' rates
//   mrv1   below mean - slow_task min(deviation, mean / 3); without the bound on the deviation as_written: then nothing
//          is ever slow where the deviation exceeds the mean (MAPREDUCE-2162)
// Slow tasks are taken longest time left first.
enum class LateForm : std::uint8_t { Paper, Mrv1 };

struct LateRules {
  LateForm form = LateForm::Paper;
  double slow_task = 0.25;  // paper: a share; mrv1: deviations
  double slow_node = 0.25;  // the same
  double min_age = 60;      // seconds since its first record before an attempt is judged
  bool as_written = false;
};

// Asks for form, slow_task, slow_node, min_age, as_written.
LateRules late_rules(Parameters& parameters);

// The value at rank floor(share (n - 1)) in ascending order, from 0. REQUIRES: values not empty.
double percentile(std::vector<double> values, double share);

// The rate below which a task is slow; nothing with fewer than two rates. Infinite rates only count in percentiles.
std::optional<double> slow_rate(const LateRules& rules, const std::vector<double>& rates);

// Free slots on nodes that are not slow. A node is slow if its speed (by the attempts which ended there, as the
// ResourceManager keeps it) is below the slow_node percentile of all nodes' (paper), or if its mean duration exceeds
// the nodes' by slow_node deviations (mrv1).
std::uint32_t slots_on_good_nodes(const View& view, const LateRules& rules);

// Copies for the job's slow tasks, one per task, `most` in all. Declines the others: TooYoung, AlreadySpeculating,
// CutPending, and `exhausted` for those that `most` leaves without. Returns how many were asked for. One pass over the
// job's tasks, then O(log n) for each slow one.
std::uint32_t race_slow_tasks(const View& view, const JobView& job, const LateRules& rules, std::uint32_t most,
                              Reason exhausted, Plan& plan, Declines& declines);

// Copies at a time: of all jobs (paper), of one job (mrv1).
std::uint32_t late_cap(double share, std::uint32_t slots);
std::uint32_t mrv1_cap(std::uint32_t slots, std::size_t running);

std::unique_ptr<Policy> make_late(Parameters& parameters);

// V = ceil(2 / beta, clipped to [1, 2], times the tasks that are not done): a job of heavy-tailed tasks (beta small)
// can use up to twice its tasks in slots, for copies. 0 for a job without unfinished tasks. (The paper's factor for the
// communication of stages is 1: jobs are map-only.)
std::uint32_t hopper_virtual_size(double beta, std::uint32_t unfinished);

// By job, whole slots:
//   sum V > slots   everybody min(V, (1 - epsilon) slots / jobs), then in ascending order of V up to V each
//   otherwise       slots V / sum V, that is V or more
std::vector<std::uint32_t> hopper_shares(std::span<const std::uint32_t> virtual_sizes, std::uint32_t slots,
                                         double epsilon);

std::unique_ptr<Policy> make_hopper(Parameters& parameters);

// Mantri -------------------------------------------------------------------------------------------------------------

// When a task's remaining time pays for a fresh attempt. t_new = launch + T, T ~ Pareto(t_min bytes, beta): what a
// fresh attempt takes. t_rem = end - now by the job's outlook, taken as known, so P(t_rem > x t_new) > delta is the
// same as t_rem > x (launch + Q(delta)) with the quantile Q of T.
enum class MantriForm : std::uint8_t { Full, P1, P3 };

struct MantriSettings {
  MantriForm form = MantriForm::Full;
  double delta = 0.25;           // probability
  double rho = 3;                // reports that a copy must gain where slots are free
  double report = 1;             // seconds: Mantri's Delta
  double margin = 30;            // seconds; P1
  std::uint32_t gamma = 3;       // ended attempts of a task after which it is not started again
  std::uint32_t keep = 2;        // alpha: attempts of a task that are left running
  std::uint32_t max_copies = 4;  // besides the one that is raced
  bool is_ahead = false;         // copies come before what waits
  bool only_elapsed = false;     // P3: of a running attempt only its age is known
};

// What a fresh attempt takes. All times in seconds.
class FreshAttempt {
 public:
  // Nothing is known without a t_min (durations.t_min = 0): then no time is long enough to pay for it.
  FreshAttempt(const math::Durations& durations, double delta);

  double mean(double bytes) const { return launch_ + mean_per_byte_ * bytes; }          // infinite for beta <= 1
  double quantile(double bytes) const { return launch_ + quantile_per_byte_ * bytes; }  // not exceeded with delta

 private:
  double launch_;
  double mean_per_byte_;
  double quantile_per_byte_;
};

// The age above which P(T - age > 2 t_new | T > age) > delta for a Pareto T: what the rule of P3 comes to where
// progress is not known. In multiples of t_min; `launch` too.
double age_limit(double beta, double launch, double delta);

// The remaining time above which a task with `attempts` attempts, 1 or more, gets another:
//   full  (c + 1) / c (launch + Q(delta)), and for c = 1 not more than E(t_new) + rho report: slots are free
//   p3    2 (launch + Q(delta)) for c = 1
//   p1    mean_task + margin, whatever c
// Infinite when it gets none.
double duplicate_above(const MantriSettings& settings, const FreshAttempt& fresh, double bytes, std::uint32_t attempts,
                       double mean_task);

// While tasks wait for slots: the remaining time above which an attempt is ended and started again, E(t_new) + report.
double restart_above(const MantriSettings& settings, const FreshAttempt& fresh, double bytes);

std::unique_ptr<Policy> make_mantri(Parameters& parameters);

// Spark and Flink ----------------------------------------------------------------------------------------------------

struct SparkRules {
  double quantile = 0.9;     // share of a job's tasks that must be done before it is judged
  double multiplier = 3;     // of the median duration (the upper one of two)
  double min_runtime = 0.1;  // seconds
};

// Seconds that an attempt must have run; nothing before max(floor(quantile tasks), 1) of the tasks have durations.
std::optional<double> spark_threshold(const SparkRules& rules, std::size_t tasks, std::span<const double> durations);

struct FlinkRules {
  double ratio = 0.75;      // share of a job's tasks that must be done, and of which the median is taken
  double multiplier = 1.5;  // of that median
};

// `weighted`: run times of finished tasks, each by the bytes of its input. The median is the one of the round(ratio
// tasks) shortest, the upper of two. 0 if these are none; nothing while fewer than the ratio are done.
std::optional<double> flink_baseline(const FlinkRules& rules, std::size_t tasks, std::vector<double> weighted);

std::unique_ptr<Policy> make_spark(Parameters& parameters);
std::unique_ptr<Policy> make_flink(Parameters& parameters);

// Those that divide what is left of a running task -------------------------------------------------------------------

// SkewTune's planner (Kwon and others, SIGMOD 2012, section 5): `work` seconds are divided among slots that become
// available after so many seconds (ascending), such that all are done at the same time. A slot is used if at least two
// overheads of that time are left to it. Returns each used slot's share of the work in seconds, in order; they add up
// to `work`. REQUIRES: work > 0, overhead >= 0, a slot.
std::vector<double> skewtune_shares(double work, std::span<const double> available, double overhead);

// How many pieces YTsaurus makes of what is left: the seconds that it takes by the least time of a piece, 1 to `most`.
std::uint32_t ytsaurus_pieces(double left, double least, std::uint32_t most);

// GRASS (Ananthanarayanan and others, NSDI 2014, section 3): whether a task with c attempts and so many seconds left
// gets another, which takes `fresh` seconds. Resource-aware: the c + 1 attempts then save slots, c left > (c + 1)
// fresh. Greedy: it would be done sooner, left > fresh.
enum class GrassMode : std::uint8_t { ResourceAware, Greedy };
bool grass_pays(GrassMode mode, double left, double fresh, std::uint32_t attempts);

std::unique_ptr<Policy> make_skewtune(Parameters& parameters);
std::unique_ptr<Policy> make_dataflow(Parameters& parameters);
std::unique_ptr<Policy> make_ytsaurus(Parameters& parameters);
std::unique_ptr<Policy> make_grass(Parameters& parameters);

}  // namespace ontime::scheduler
