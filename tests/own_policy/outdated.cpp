// A policy that was built for another interface; its maker is never called.
#include "scheduler/policies/own_policy.h"

extern "C" __attribute__((visibility("default"))) const ontime::scheduler::PolicyInterface ontime_policy_interface = {
    4000000000u, ontime::scheduler::kPolicyInterface.layout};
extern "C" __attribute__((visibility("default"))) ontime::scheduler::Policy* ontime_policy(
    ontime::scheduler::Parameters&) {
  return nullptr;
}
