#pragma once
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

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "scheduler/estimate/hadoop_statistics.h"
#include "scheduler/policy/parameters.h"
#include "scheduler/policy/policy.h"

namespace ontime::scheduler {

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
  std::optional<Candidate> best(const JobView& job, double replacement, const estimate::DurationStatistics& peers,
                                double now, Declines& declines) const;
  std::optional<Reason> objection(const JobView& job, Candidate candidate,
                                  const estimate::DurationStatistics& peers) const;

  HadoopSettings settings_;
  std::map<JobId, TimePoint> next_scan_;
};

}  // namespace ontime::scheduler
