#pragma once
// What Shed and Shed+ have in common when they share slots out: how many copies a plan may ask for, on which nodes.

#include <cstdint>
#include <vector>

#include "scheduler/core/reason.h"
#include "scheduler/math/allocation.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/view.h"

namespace ontime::scheduler {

struct Sharing {
  double lambda = 1;        // share of the slots that jobs may use
  std::uint32_t max = 5;    // copies per task and plan
  bool reserve_am = false;  // one slot per running job for its ApplicationMaster
  math::Objective objective = math::Objective::SumLog;
};

// lambda, max, reserve_am, objective
Sharing sharing(Parameters& parameters);

struct CopyBudget {
  std::int64_t copies = 0;                 // never negative
  Reason when_spent = Reason::NoFreeSlot;  // what keeps further ones back
};

// kappa = lambda m - sum of N_j - |J| (Shed+ Algorithm 1, line 9): N_j counts the slots in use, which are one per
// running task when the slower attempts of raced tasks have been ended, and what waits for a slot. `ended`: slots that
// the plan itself sets free.
CopyBudget copy_budget(const View& view, const Sharing& sharing, std::uint32_t ended);

// A copy goes to another node than the attempt that it races, so two nodes that have a slot serve everybody.
class OtherNodes {
 public:
  // `ended`: attempts whose slots the plan sets free.
  OtherNodes(const View& view, const std::vector<AttemptId>& ended);

  bool has_other_than(NodeId node) const { return count_ == 2 || (count_ == 1 && nodes_[0] != node); }
  std::uint32_t slots_freed() const { return slots_freed_; }

 private:
  NodeId nodes_[2];
  std::size_t count_ = 0;
  std::uint32_t slots_freed_ = 0;
};

}  // namespace ontime::scheduler
