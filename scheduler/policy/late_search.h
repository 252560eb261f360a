#pragma once
// LATE's search for slow tasks, for `late` and for `hopper`, which borrows it.
//
// A task's progress rate is what is left of it over the time left by the job's outlook, (1 - progress) / (end - now),
// in 1/s; a finished task's is 1 / duration. Attempts about to end (end <= now) are not judged. A running task is slow
// if its rate is
//   paper  below the slow_task percentile (default the 25th) of the job's running and finished tasks' rates
//   mrv1   below mean - slow_task min(deviation, mean / 3); without the bound on the deviation as_written: then nothing
//          is ever slow where the deviation exceeds the mean (MAPREDUCE-2162)
// Slow tasks are taken longest time left first.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/policy/parameters.h"
#include "scheduler/policy/restarts.h"

namespace ontime::scheduler {

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

// Free slots on nodes that are not slow. A node is slow if its speed (that of the attempts which ended there, as the
// ResourceManager keeps it) is below the slow_node percentile of all nodes' (paper), or if its mean duration exceeds
// the nodes' by slow_node deviations (mrv1).
std::uint32_t slots_on_good_nodes(const View& view, const LateRules& rules);

struct LateTask {
  std::uint32_t task;
  double end;  // seconds after submission
};

// One pass over the job's tasks, O(n); then O(log n) for each slow task taken out.
class LateSearch {
 public:
  LateSearch(const JobView& job, const LateRules& rules, double now);

  // The slow task with the longest time left, which is taken out.
  std::optional<LateTask> next();

 private:
  std::vector<LateTask> heap_;
};

// Copies for the job's slow tasks, one per task, `most` in all. Declines the others: TooYoung, AlreadySpeculating,
// CutPending, and `exhausted` for those that `most` leaves without. Returns how many were asked for.
std::uint32_t race_slow_tasks(const View& view, const JobView& job, const LateRules& rules, std::uint32_t most,
                              Reason exhausted, Plan& plan, Declines& declines);

}  // namespace ontime::scheduler
