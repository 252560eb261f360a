#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/execute.h"
#include "scheduler/policies/policy.h"

namespace ontime::cli {

Result<ExitCode> execute(const PoliciesCommand& command) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  std::string text;
  for (const scheduler::PolicyDescription& policy : scheduler::policies()) {
    list.push_back({{"name", policy.name}, {"summary", policy.summary}, {"restarts", policy.restarts}});
    std::string name(policy.name);
    name.resize(14, ' ');
    text += name + std::string(policy.summary) + (policy.restarts ? " (copies start at the beginning)" : "") + "\n";
  }
  if (command.json) text = Json({{"policies", std::move(list)}}).dump(2) + "\n";
  std::fputs(text.c_str(), stdout);
  return ExitCode::Done;
}

}  // namespace ontime::cli
