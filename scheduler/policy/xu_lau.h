#pragma once
// What the policies of Xu & Lau (sca, sda, ese) have in common: how long a job's tasks take, which tasks are slow by
// their remaining time, which jobs have not begun, how loaded the cluster is.
//
// The paper's time is slotted; here a policy looks every `slot` and whenever a job is submitted. Durations are Pareto
// (mu, alpha), in this project's letters (t_min, beta); alpha counts as 1.05 at least, or means would be infinite.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/pocd/xu_lau_clone.h"
#include "scheduler/policy/parameters.h"
#include "scheduler/policy/pieces.h"
#include "scheduler/policy/policy.h"
#include "scheduler/policy/view.h"

namespace ontime::scheduler {

inline constexpr double kXuLauSlot = 0.5;  // seconds; the default of `slot`

// Durations of a job's tasks, those of mean size; times in seconds.
struct TaskTimes {
  double mu = 0;
  double alpha = 2;
  double mean = 0;          // E[x] with its launch: what a copy started now would take
  bool is_settled = false;  // rests on a fit, or on nothing that more attempts would improve
  double split_bytes = 1;
  estimate::Durations durations;
};

// Nothing while t_min is not known.
std::optional<TaskTimes> task_times(const View& view, const JobView& job, const estimate::DurationHints& hints);
pocd::ClonedJob cloned_job(const JobView& job, const TaskTimes& times);

// When a remaining time is too long; chosen per job when durations are first known, and again when they rest on a fit.
struct DetectionLimit {
  TaskTimes times;
  double sigma = 0;
  std::uint32_t copies = 2;  // attempts of a straggler in all
  double seconds() const { return sigma * times.mean; }
};
// "straggler: more than 1.71 times the mean of 20 s remaining, 1 copy; t_min ..."
std::string limit_words(const DetectionLimit& limit, const estimate::DurationHints& hints);
// It was chosen without a fit, and by now the job's attempts allow one.
bool is_due_again(const DetectionLimit& limit, const JobView& job);
// Jobs that run no longer are taken out.
void forget_ended(std::map<JobId, DetectionLimit>& limits, const View& view);

// A task whose remaining time is longer than its job's limit, and that is left with one attempt.
struct SlowTask {
  const JobView* job;
  std::uint32_t index;
  double remaining;  // seconds, may be infinite
  Piece piece;       // the one that is done last
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

}  // namespace ontime::scheduler
