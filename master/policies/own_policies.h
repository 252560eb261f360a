#pragma once
// Policies of one's own: shared objects that a program loads into itself, or Python in a process beside it. A shared
// object runs in the thread that decides, with all that its program may do. What it plans can do no harm; it can still
// crash, or never answer (watched_policy.h).

#include <memory>
#include <string>

#include "common/base/time.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {

// From now on make_policy() makes policies of files too. A look may take as long as `budget`, unless the policy's
// parameter `budget` says otherwise; 0: up to a minute (watched_policy.h), as in simulations, whose results must not
// hang on how busy the machine is. `tell` is given the sentence about each that is not asked any more, in the thread
// that plans.
using Tell = void (*)(const std::string& sentence);
void allow_own_policies(Duration budget, Tell tell = nullptr);

inline constexpr Duration kLookMost = std::chrono::seconds(1);  // of a master: heartbeats wait meanwhile

// `policy` as it may be trusted: once it throws, makes a plan with a flaw (plan_flaws.h) or has taken longer than
// `budget` for a look, it is not asked again, each of its jobs gets a note that says why, and nothing is planned. The
// name is for these notes. `problem`: why it is not asked at all. Throws std::invalid_argument if the policy throws
// when it is asked what it wants.
std::unique_ptr<scheduler::Policy> guarded(std::string name, std::unique_ptr<scheduler::Policy> policy, Duration budget,
                                           Tell tell = nullptr, std::string problem = {});

}  // namespace ontime::master
