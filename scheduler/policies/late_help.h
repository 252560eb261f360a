#pragma once
// Policies that plan for deadlines do nothing for a job that has missed its own. Where deadlines are missed before a
// job has begun, as in the queue of another engine, it would be worse off than without a policy.

#include <memory>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// Parameter late: `none`, or `mantri`, which then plans for the jobs that have missed their deadlines, with
// delta=0.5; `policy` plans for the others.
std::unique_ptr<Policy> with_late_help(std::unique_ptr<Policy> policy, Parameters& parameters);

}  // namespace ontime::scheduler
