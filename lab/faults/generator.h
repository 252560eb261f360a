#pragma once
// Fault schedules from seeds, in swarms: each seed allows a random part of the kinds of faults, each with an intensity
// of its own, so that some clusters suffer from one thing only and others from everything at once.

#include <cstdint>

#include "lab/faults/fault_plan.h"

namespace ontime::lab::faults {

FaultPlan make_plan(std::uint64_t seed);

}  // namespace ontime::lab::faults
