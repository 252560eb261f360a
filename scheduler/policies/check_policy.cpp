#include "scheduler/policies/check_policy.h"

#include <stdexcept>

#include "common/base/wording.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyDescription& policy : policies()) names.emplace_back(policy.name);
  return names;
}

Status check_policy(const std::string& name, const StringMap& parameters) {
  try {
    if (make_policy(name, parameters) != nullptr) return {};
  } catch (const std::invalid_argument& wrong) {
    return bad_input(wrong.what());
  }
  return bad_input("there is no policy '" + name + "'; " + advice(name, policy_names()));
}

}  // namespace ontime::scheduler
