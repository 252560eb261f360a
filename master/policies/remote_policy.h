#pragma once
// A policy that plans in another process: a Python file, or a process that listens at a Unix socket.

#include <memory>
#include <string>

#include "common/base/time.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {

// The file is one of these.
bool is_planned_elsewhere(const std::string& file);

// Never null. A look may take as long as `budget`; 0: as long as it likes. Throws PolicyEnded (policy_process.h), now
// if the policy cannot start, later whenever it cannot be asked.
std::unique_ptr<scheduler::Policy> make_remote_policy(const std::string& file, const scheduler::StringMap& parameters,
                                                      Duration budget);

}  // namespace ontime::master
