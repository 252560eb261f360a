// Copies by age, as the engines do that people run: Spark's and Flink's rules. Both judge an attempt by how long it has
// run, not by what it has left. docs/research/policies.md has their parameters.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "common/base/median.h"
#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"

namespace ontime::scheduler {

std::optional<double> spark_threshold(const SparkRules& rules, std::size_t tasks, std::span<const double> durations) {
  const double least = std::max(std::floor(rules.quantile * static_cast<double>(tasks)), 1.0);
  if (static_cast<double>(durations.size()) < least) return std::nullopt;
  return std::max(rules.multiplier * median_of({durations.begin(), durations.end()}), rules.min_runtime);
}

std::optional<double> flink_baseline(const FlinkRules& rules, std::size_t tasks, std::vector<double> weighted) {
  if (static_cast<double>(weighted.size()) < rules.ratio * static_cast<double>(tasks)) return std::nullopt;
  const auto counted = static_cast<std::size_t>(std::lround(rules.ratio * static_cast<double>(tasks)));
  if (counted == 0) return 0;
  std::sort(weighted.begin(), weighted.end());
  return rules.multiplier * weighted[std::min(counted, weighted.size()) / 2];
}

namespace {

// Seconds from the launch to the end of the attempt that was the first to be done.
std::optional<double> run_time(const Task& task) {
  for (const Attempt& attempt : task.attempts) {
    if (attempt.state == AttemptState::Succeeded) return seconds(attempt.ended_at - attempt.launched_at);
  }
  return std::nullopt;
}

// One copy more for each running task with fewer than `most` attempts for which is_slow(task's index, its first
// attempt), as far as `slots` go. What is left of them remains there.
template <class IsSlow>
void race_slow(const JobView& job, std::uint32_t most, const IsSlow& is_slow, std::uint32_t& slots, Plan& plan,
               Declines& declines) {
  const std::span<const std::uint8_t> live = job.outlook->live_attempts();
  for (std::uint32_t task = 0; task < live.size(); ++task) {
    if (live[task] == 0) continue;
    const Attempt* attempt = first_live(job, task);
    if (attempt == nullptr || !is_slow(task, *attempt)) continue;
    if (attempts_on(job, task) >= most) {
      declines.add(job, task, Reason::AlreadySpeculating);
    } else if (slots == 0) {
      declines.add(job, task, Reason::NoFreeSlot);
    } else if (std::optional<Speculate> copy = race(job, task, 1, Reason::Slow)) {
      plan.add(*std::move(copy));
      --slots;
    } else {
      declines.add(job, task, Reason::CutPending);
    }
  }
}

// Spark's TaskSetManager.checkSpeculatableTasks (version 4). A running task with one attempt gets a copy when the
// attempt has run longer than the threshold and is inefficient: it has run `long_run_factor` times as long, or maps
// fewer records a second than `process_rate_multiplier` times the mean of the finished tasks. No cap; in jobs of one
// task only with `threshold`, which stands in while too few are done in jobs of at most `executor_slots` tasks.
class Spark final : public Policy {
 public:
  explicit Spark(Parameters& parameters)
      : rules_{parameters.number("quantile", SparkRules{}.quantile, 0, 1),
               parameters.number("multiplier", SparkRules{}.multiplier, 0, 1e6),
               parameters.duration("min_runtime", SparkRules{}.min_runtime)},
        is_efficient_(parameters.flag("efficiency", true)),
        rate_multiplier_(parameters.number("process_rate_multiplier", 0.75, 0, 1)),
        long_run_factor_(parameters.number("long_run_factor", 2, 1, 1e6)),
        threshold_(parameters.optional_duration("threshold")),
        executor_slots_(parameters.count("executor_slots", 1, 1, 1'000'000)),
        clock_(parameters.period("interval", 0.1)) {}

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    Declines declines(plan);
    std::uint32_t slots = view.spare_slots();
    for (const JobView& job : view.jobs) look(view, job, slots, plan, declines);
    return plan;
  }

 private:
  void look(const View& view, const JobView& job, std::uint32_t& slots, Plan& plan, Declines& declines) const {
    const std::size_t tasks = job.job->tasks.size();
    if (tasks == 1 && !threshold_) return;
    const std::span<const double> durations = job.outlook->task_durations();
    std::optional<double> threshold = spark_threshold(rules_, tasks, durations);
    const bool is_filtered = threshold && is_efficient_;
    if (!threshold && tasks <= executor_slots_) threshold = threshold_;
    if (!threshold) return;
    double worked = 0;
    for (const double duration : durations) worked += duration;
    const double usual_rate = worked > 0 ? static_cast<double>(job.job->sealed_records) / worked : 0;
    const auto is_slow = [&](std::uint32_t, const Attempt& attempt) {
      const double run = seconds(view.now - attempt.launched_at);
      if (!(run > *threshold)) return false;
      if (!is_filtered || run > long_run_factor_ * *threshold) return true;
      return static_cast<double>(attempt.records) / run < rate_multiplier_ * usual_rate;
    };
    race_slow(job, 2, is_slow, slots, plan, declines);
  }

  const SparkRules rules_;
  const bool is_efficient_;  // only inefficient attempts are slow
  const double rate_multiplier_;
  const double long_run_factor_;
  const std::optional<double> threshold_;  // seconds
  const std::uint32_t executor_slots_;
  PeriodicCheck clock_;
};

// Flink's ExecutionTimeBasedSlowTaskDetector with the speculative scheduler of batch jobs: an attempt is slow that has
// run for `lower_bound` or longer and, by the byte of its split, for the baseline or longer. Its node is not blocked.
class Flink final : public Policy {
 public:
  explicit Flink(Parameters& parameters)
      : rules_{parameters.number("ratio", FlinkRules{}.ratio, 0, 0.999999),
               parameters.number("multiplier", FlinkRules{}.multiplier, 0.000001, 1e6)},
        lower_bound_(parameters.duration("lower_bound", 60)),
        most_(parameters.count("max_concurrent", 2, 1, 50)),
        clock_(parameters.period("check_interval", 1)) {}

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    Declines declines(plan);
    std::uint32_t slots = view.spare_slots();
    for (const JobView& job : view.jobs) {
      if (static_cast<double>(job.job->tasks_done) < rules_.ratio * static_cast<double>(job.job->tasks.size()))
        continue;
      const std::optional<double> baseline = flink_baseline(rules_, job.job->tasks.size(), weighted_times(job));
      if (!baseline) continue;
      const auto is_slow = [&, now = view.now](std::uint32_t task, const Attempt& attempt) {
        const double run = seconds(now - attempt.launched_at);
        return run >= lower_bound_ && run / weight(job, task) >= *baseline;
      };
      race_slow(job, most_, is_slow, slots, plan, declines);
    }
    return plan;
  }

 private:
  // Bytes of its input; where those are not known, all weigh the same.
  static double weight(const JobView& job, std::uint32_t task) { return std::max(1.0, split_bytes(job, task)); }

  static std::vector<double> weighted_times(const JobView& job) {
    std::vector<double> times;
    times.reserve(job.job->tasks_done);
    const std::span<const Task> made = job.job->tasks.made();
    for (std::uint32_t task = 0; task < made.size(); ++task) {
      if (!made[task].ledger.is_done()) continue;
      if (const auto run = run_time(made[task])) times.push_back(*run / weight(job, task));
    }
    return times;
  }

  const FlinkRules rules_;
  const double lower_bound_;  // seconds
  const std::uint32_t most_;  // attempts of a task
  PeriodicCheck clock_;
};

}  // namespace

std::unique_ptr<Policy> make_spark(Parameters& parameters) { return std::make_unique<Spark>(parameters); }
std::unique_ptr<Policy> make_flink(Parameters& parameters) { return std::make_unique<Flink>(parameters); }

}  // namespace ontime::scheduler
