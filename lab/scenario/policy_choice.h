#pragma once
// "shed+:theta=1s,lambda=0.2": a policy and its parameters for all jobs of a scenario.

#include <string>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

struct PolicyChoice {
  std::string name;
  scheduler::StringMap parameters;
};

// BadInput if it is not NAME or NAME:KEY=VALUE,... ; whether there is such a policy is found out by check().
Result<PolicyChoice> read_policy(const std::string& text);
// The same of what stands behind --policy: of a policy that there is, with parameters that it takes.
Result<PolicyChoice> read_policy_flag(const std::string& text);
// Replaces what the scenario says, and checks it.
Status choose_policy(Scenario& scenario, const PolicyChoice& choice);

}  // namespace ontime::lab
