#pragma once
// For people who write a policy of their own (examples/policy): derive a Policy whose constructor takes Parameters,
// name it in ONTIME_POLICY, build a shared object with ontime_add_policy() and give its path to `--policy`. Ours see
// and ask for nothing else; docs/research/policy.md says what the view and the plan hold.

#include <cstdint>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// What a policy was compiled against.
struct PolicyInterface {
  std::uint32_t number = 0;  // grows when something in these headers changes its meaning
  std::uint32_t layout = 0;  // follows from how they lay out memory, with this compiler and these options
  bool operator==(const PolicyInterface&) const = default;
};

template <class... Types>
consteval std::uint32_t layout_of() {
  std::uint32_t mixed = 2166136261u;
  ((mixed = (mixed ^ static_cast<std::uint32_t>(sizeof(Types))) * 16777619u), ...);
  return mixed;
}

inline constexpr PolicyInterface kPolicyInterface{
    1, layout_of<View, JobView, Plan, Decision, Speculate, Note, Cluster, ResourceManager, Outlook, Job, JobSpec, Task,
                 Segment, Attempt, Node, Parameters, Policy, std::string, StringMap>()};

}  // namespace ontime::scheduler

// Makes `Type` (a Policy that is constructed from Parameters) what this shared object offers.
#define ONTIME_POLICY(Type)                                                                                            \
  extern "C" __attribute__((visibility("default"))) const ontime::scheduler::PolicyInterface ontime_policy_interface = \
      ontime::scheduler::kPolicyInterface;                                                                             \
  extern "C" __attribute__((visibility("default"))) ontime::scheduler::Policy* ontime_policy(                          \
      ontime::scheduler::Parameters& parameters) {                                                                     \
    return new Type(parameters);                                                                                       \
  }
