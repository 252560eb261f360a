#pragma once
// The baseline: no speculation. Failed work is started again, checkpoints are taken, nothing else.

#include "scheduler/policy/policy.h"

namespace ontime::scheduler {

class None final : public Policy {
 public:
  Plan plan(const View&) override { return {}; }
};

}  // namespace ontime::scheduler
