#pragma once
// A policy that does not come back from a call and cannot be left: a shared object runs in the thread that decides, and
// one in another process has no budget at which it would be. So the process ends with a sentence instead of standing
// still without one; the next one on the same state does without the policy.

#include <functional>
#include <memory>
#include <string>

#include "common/base/time.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {

// What is done then, in a thread of its own. It must end the process. `why` is a whole sentence; `is_noted`: the next
// process will know.
using End = void (*)(const std::string& why, bool is_noted);
// Before the first policy is made. A call is looked at once in each `tick`.
void end_at_hanging_policies(End end, Duration tick = std::chrono::seconds(1));

// Where such policies are noted, by their files as they are, and those that were. Before the first policy is made;
// without it nothing is noted.
void note_hanging_policies_in(std::string path);
// It is one of them, and its file is the same still.
bool has_hung(const std::string& file);

// The policy that `make` makes of that file. A call may go on for ten times `budget`, at least ten ticks; without one
// for sixty. It is counted in ticks, so a process that is stopped or gets no processor has its time.
std::unique_ptr<scheduler::Policy> watched(std::string file, Duration budget,
                                           const std::function<std::unique_ptr<scheduler::Policy>()>& make);

}  // namespace ontime::master
