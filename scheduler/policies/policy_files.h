#pragma once
// Policies that are named by the file they lie in and not by a name of ours. How a file becomes a policy is the
// business of the programs that run jobs or simulate them: nothing here opens one.

#include <memory>
#include <string>
#include <string_view>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

inline bool is_policy_file(std::string_view policy) { return policy.find('/') != std::string_view::npos; }

// Never null. Throws std::invalid_argument with one sentence if it cannot be made.
using PolicyLoader = std::unique_ptr<Policy> (*)(const std::string& file, Parameters& parameters);

// At the start of a program. Without one there is no such policy.
void load_policies_with(PolicyLoader loader);
PolicyLoader policy_loader();  // null: none was given

}  // namespace ontime::scheduler
