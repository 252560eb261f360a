#pragma once
// Hadoop's DataStatistics: mean and spread of the durations of a job's finished tasks, and what its estimators conclude
// about a new attempt.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// Each finished task is counted once. Unit: the durations' unit. All 0 while nothing is counted.
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

}  // namespace ontime::scheduler

namespace ontime::scheduler {

// Hadoop's DefaultSpeculator (MapReduce on YARN), the baseline of all the papers: copies for tasks that look like
// outliers among their finished peers, one copy per task, one launch per job and scan. Its copies start at the
// segment's begin.
//
// A scan of a job, as soon as its pause is over and none of its attempts waits for a slot:
//   - nothing before one task, and 5 % of the tasks, are done;
//   - an estimated run time (end - launch) of mean + k deviations of the finished tasks' or less is on schedule;
//   - a task with more than one attempt has what it may have;
//   - value = end - replacement, where the replacement would end at now + the mean of the finished tasks: end <= now is
//     good progress, value <= 0 too late;
//   - the task with the largest value gets a copy, if copies < max(10, 1 % of the tasks, 10 % of the running ones).
//
// The ends are the job's outlook (`--estimator`); Hadoop's own estimate counts the launch as work, which is
// `--estimator hadoop`. With `simple-exponential` a replacement takes what that class of Hadoop expects of it.
//
//   slowtaskthreshold 1          k, in standard deviations
//   retry_after_no_speculate 1s  pause after a scan that launched nothing
//   retry_after_speculate 15s    pause after one that launched a copy
//   minimum_allowed_tasks 10, cap_total_tasks 0.01, cap_running_tasks 0.1
//   as_written no                yes: as the source of MRv2 is: slowtaskthreshold is only compared with infinity and so
//                                has no effect, and one finished task makes `simple-exponential` expect no time at all
//
// Declines: OnSchedule, AlreadySpeculating, CopyWouldBeLater and ProgressIsGood for tasks that look slow or late,
// NotDue for those that wait for a later scan, CapReached, NoFreeSlot, CutPending, NoEstimate for compressed files.

class Declines;

struct HadoopSettings {
  double slow_task_threshold = 1;
  double retry_after_no_speculate = 1;  // seconds
  double retry_after_speculate = 15;    // seconds
  std::uint32_t minimum_allowed_tasks = 10;
  double cap_total_tasks = 0.01;
  double cap_running_tasks = 0.1;
  bool as_written = false;
};

// Copies that a job may have at a time.
std::uint32_t hadoop_cap(const HadoopSettings& settings, std::size_t tasks, std::size_t running);

class Hadoop final : public Policy {
 public:
  explicit Hadoop(const HadoopSettings& settings) : settings_(settings) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  Plan plan(const View& view) override;

 private:
  struct Candidate {
    std::uint32_t task;
    double end;  // seconds after submission
  };
  bool scan(const View& view, const JobView& job, std::uint32_t slots, Plan& plan, Declines& declines) const;
  std::optional<Candidate> best(const JobView& job, double replacement, const DurationStatistics& peers, double now,
                                Declines& declines) const;
  std::optional<Reason> objection(const JobView& job, Candidate candidate, const DurationStatistics& peers) const;

  HadoopSettings settings_;
  std::map<JobId, TimePoint> next_scan_;
};

}  // namespace ontime::scheduler
