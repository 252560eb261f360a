#pragma once
// Hopper's arithmetic: how many slots each job is to get (Ren and others, SIGCOMM 2015).

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/policies/baselines/late.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// V = ceil(2 / beta, clipped to [1, 2], times the tasks that are not done): a job of heavy-tailed tasks (beta small)
// can use up to twice its tasks in slots, for copies. 0 for a job without unfinished tasks. (The paper's factor for the
// communication of stages is 1: jobs are map-only.)
std::uint32_t hopper_virtual_size(double beta, std::uint32_t unfinished);

// By job, whole slots:
//   sum V > slots   everybody min(V, (1 - epsilon) slots / jobs), then in ascending order of V up to V each
//   otherwise       slots V / sum V, that is V or more
std::vector<std::uint32_t> hopper_shares(std::span<const std::uint32_t> virtual_sizes, std::uint32_t slots,
                                         double epsilon);

// Hopper (Ren and others, SIGCOMM 2015), centralised: slots are divided among jobs with their copies in mind. A job's
// virtual size is V = (2 / beta) times its unfinished tasks; if the virtual sizes exceed the slots, jobs get up to V
// each in ascending order of V, smallest first, and none less than (1 - epsilon) of an equal part; otherwise slots in
// proportion to V. What a job's tasks leave of its share is for its copies; which tasks get them is
// borrowed from LATE, as the paper borrows it: see late.h for form, slow_task, slow_node, min_age, check, as_written.
// Its copies start at the segment's begin.
//
//   epsilon 0.1           fairness
//   reserve yes           a job's copies may be queued within its share although no slot is free; they then get the
//   job's
//                         next slots, before the tasks of larger jobs, which is the paper's point under overload. no:
//                         copies only take free slots that nothing waits for
//   beta, fit, t_min, t_avg   the tail, as for all policies; 2 / beta is clipped to [1, 2]
//
// Shares are brought up to date at every check and at every submission. A slot that no job may claim by its share is
// not left idle. Declines: as late; CapReached means the job's share.

class Hopper final : public Policy {
 public:
  struct Settings {
    LateRules rules;
    double epsilon = 0.1;
    double check = 1;  // seconds
    bool reserve = true;
  };
  Hopper(const Settings& settings, math::DurationHints hints)
      : settings_(settings), hints_(hints), clock_(settings.check) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  JobOrder order() const override { return is_short_ ? JobOrder::ShortestRemaining : JobOrder::Fifo; }
  bool has_shares() const override { return true; }
  std::uint32_t share(JobId job) const override;
  Plan plan(const View& view) override;

 private:
  void divide_slots(const View& view);

  Settings settings_;
  math::DurationHints hints_;
  bool is_short_ = false;  // of slots: the virtual sizes exceed them
  std::map<JobId, std::uint32_t> shares_;
  PeriodicCheck clock_;
};

}  // namespace ontime::scheduler
