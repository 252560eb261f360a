#pragma once
// `none`: no speculation at all. Retry after a failure and checkpoints are not a policy's business.

#include "scheduler/policy/policy.h"

namespace ontime::scheduler {

class None final : public Policy {
 public:
  std::string_view name() const override { return "none"; }
  Plan plan(const Cluster& cluster, JobId job, std::uint32_t free_slots, TimePoint now) override;
};

}  // namespace ontime::scheduler
