#pragma once
// The baseline: no speculation. Failed work is started again, checkpoints are taken, nothing else.
//
// Parameters: order (fifo, deadline, workload), in which jobs get slots.

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

class None final : public Policy {
 public:
  explicit None(Parameters& parameters) : order_(parameters.order()) {}
  JobOrder order() const override { return order_; }
  bool plans_at_submission() const override { return false; }
  Plan plan(const View&) override { return {}; }

 private:
  JobOrder order_;
};

}  // namespace ontime::scheduler
