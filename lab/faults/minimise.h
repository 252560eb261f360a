#pragma once
// Makes a schedule that fails smaller, for people to read.

#include <string>

#include "lab/faults/fault_plan.h"

namespace ontime::lab::faults {

// Leaves out, one at a time, every fault and every job that it fails without in the same way.
FaultPlan minimise(FaultPlan plan);

// The schedule, a line for each node, job and fault.
std::string describe(const FaultPlan& plan);

}  // namespace ontime::lab::faults
