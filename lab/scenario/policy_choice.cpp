#include <sstream>

#include "lab/scenario/scenario.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab {

Result<PolicyChoice> read_policy(const std::string& text) {
  const auto colon = text.find(':');
  PolicyChoice choice{text.substr(0, colon), {}};
  std::istringstream list(colon == std::string::npos ? "" : text.substr(colon + 1));
  for (std::string item; std::getline(list, item, ',');) {
    const auto equals = item.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return bad_input("'" + text + "' is not NAME or NAME:KEY=VALUE,...");
    }
    choice.parameters[item.substr(0, equals)] = item.substr(equals + 1);
  }
  return choice;
}

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
