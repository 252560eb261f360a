#pragma once
// Whether a policy can be made as it was asked for.

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "scheduler/core/job_spec.h"

namespace ontime::scheduler {

std::vector<std::string> policy_names();

// BadInput if there is no such policy, or it refuses a parameter; the sentence says what to choose instead.
Status check_policy(const std::string& name, const StringMap& parameters);

}  // namespace ontime::scheduler
