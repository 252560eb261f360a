#pragma once
// LATE (Zaharia and others, OSDI 2008; as Xu & Lau, section II, and Hadoop 0.21 know it): among the tasks whose
// progress rate is low, copies go to those with the longest time left. Its copies start at the segment's begin. The
// paper decides whenever a node asks for work; here the policy looks every `check` seconds and fills the slots that are
// free by then.
//
//   form paper       paper: percentiles; mrv1: mean and deviation, as Hadoop 0.21 shipped it (see late_search.h)
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

#include <cstdint>
#include <memory>
#include <optional>

#include "scheduler/policy/late_search.h"
#include "scheduler/policy/policy.h"

namespace ontime::scheduler {

// Copies at a time: of all jobs (paper), of one job (mrv1).
std::uint32_t late_cap(double share, std::uint32_t slots);
std::uint32_t mrv1_cap(std::uint32_t slots, std::size_t running);

class Late final : public Policy {
 public:
  Late(const LateRules& rules, double cap, double check) : rules_(rules), cap_(cap), check_(check) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  Plan plan(const View& view) override;

 private:
  LateRules rules_;
  double cap_;
  double check_;  // seconds
  std::optional<TimePoint> next_check_;
};

}  // namespace ontime::scheduler
