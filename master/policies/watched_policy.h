#pragma once
// A policy in a shared object that does not come back from a call. It runs in the thread that decides and cannot be
// left there, so the process ends with a sentence instead of standing still without one.

#include <functional>
#include <memory>
#include <string>

#include "common/base/time.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {

// What is done then, in a thread of its own; `why` is a whole sentence. It must end the process.
using End = void (*)(const std::string& why);
// Before the first policy is made. A call is looked at once in each `tick`.
void end_at_hanging_policies(End end, Duration tick = std::chrono::seconds(1));

// The policy that `make` makes. A call may go on for ten times `budget`, at least ten ticks; without one for sixty. It
// is counted in ticks, so a process that is stopped or gets no processor has its time.
std::unique_ptr<scheduler::Policy> watched(std::string name, Duration budget,
                                           const std::function<std::unique_ptr<scheduler::Policy>()>& make);

}  // namespace ontime::master
