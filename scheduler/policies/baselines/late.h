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
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/restarts.h"

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

// Free slots on nodes that are not slow. A node is slow if its speed (by the attempts which ended there, as the
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

// LATE (Zaharia and others, OSDI 2008; as Xu & Lau, section II, and Hadoop 0.21 know it): among the tasks whose
// progress rate is low, copies go to those with the longest time left. Its copies start at the segment's begin. The
// paper decides whenever a node asks for work; here the policy looks every `check` seconds and fills the slots that are
// free by then.
//
//   form paper       paper: percentiles; mrv1: mean and deviation, as Hadoop 0.21 shipped it (see above)
//   cap 0.1          SpeculativeCap, copies at a time as a share of all slots, at least one. mrv1 has
//                    max(10, 1 % of the slots, 10 % of the job's running tasks) per job instead and no such parameter
//   slow_task 0.25   SlowTaskThreshold: a percentile as a share; mrv1: 1 deviation
//   slow_node 0.25   SlowNodeThreshold: free slots of nodes below it are not counted; mrv1: 1 deviation
//   min_age 60s      attempts that have run for less are not judged; scale it to the length of the tasks
//   check 1s
//   as_written no    mrv1 only: the deviation unbounded, as before MAPREDUCE-2162
//
// The paper judges a node by the progress of everything it ran; here its speed stands for it, as the ResourceManager
// keeps it. One copy per task at a time. Declines slow tasks: TooYoung, AlreadySpeculating, CapReached, NoFreeSlot,
// CutPending; NoEstimate for compressed files.

// Copies at a time: of all jobs (paper), of one job (mrv1).
std::uint32_t late_cap(double share, std::uint32_t slots);
std::uint32_t mrv1_cap(std::uint32_t slots, std::size_t running);

class Late final : public Policy {
 public:
  Late(const LateRules& rules, double cap, double check) : rules_(rules), cap_(cap), clock_(check) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  Plan plan(const View& view) override;

 private:
  LateRules rules_;
  double cap_;
  PeriodicCheck clock_;
};

}  // namespace ontime::scheduler
