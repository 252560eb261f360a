// The policies by name. A new one is a file pair in this folder and a line here.
#include <array>
#include <utility>

#include "scheduler/policy/none.h"
#include "scheduler/policy/policy.h"

namespace ontime::scheduler {
namespace {

using Maker = std::unique_ptr<Policy> (*)(const StringMap& parameters);

constexpr std::array<std::pair<std::string_view, Maker>, 1> kPolicies{{
    {"none", [](const StringMap&) -> std::unique_ptr<Policy> { return std::make_unique<None>(); }},
}};

}  // namespace

std::unique_ptr<Policy> make_policy(std::string_view name, const StringMap& parameters) {
  for (const auto& [known, make] : kPolicies) {
    if (known == name) return make(parameters);
  }
  return nullptr;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : kPolicies) names.emplace_back(name);
  return names;
}

}  // namespace ontime::scheduler
