#pragma once
// Runs many schedules, each in a real process of its own: what simulated processes held when they were killed is given
// back with it, what libraries remember of one does not change the next, and a program that crashes ends its schedule
// only.

#include <functional>

#include "lab/faults/cluster_run.h"
#include "lab/faults/fault_plan.h"

namespace ontime::lab::faults {

struct SeedRange {
  std::uint64_t from = 1;
  std::uint64_t to = 1000;
  PlanSize size{};  // of the schedule of each
};

// In any order. False ends the rest. A crash is a verdict too.
using OnVerdict = std::function<bool(std::uint64_t seed, const Verdict& verdict)>;
void run_apart(SeedRange seeds, unsigned processes, const OnVerdict& on_verdict);

// A single one, in a process of its own.
Verdict run_apart(const FaultPlan& plan);

}  // namespace ontime::lab::faults
