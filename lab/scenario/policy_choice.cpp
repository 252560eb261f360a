#include "lab/scenario/scenario.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab {

Result<PolicyChoice> read_policy_flag(const std::string& text) {
  auto choice = read_policy(text);
  if (!choice) return bad_input("--policy: " + choice.error().message);
  if (const auto good = scheduler::check_policy(choice->name, choice->parameters); !good)
    return bad_input("--policy: " + good.error().message);
  return choice;
}

Status choose_policy(Scenario& scenario, const PolicyChoice& choice) {
  for (JobGroup& group : scenario.jobs) {
    group.policy = choice.name;
    group.policy_parameters = choice.parameters;
  }
  return check(scenario);
}

}  // namespace ontime::lab
