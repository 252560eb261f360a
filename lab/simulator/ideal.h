#pragma once
// What an ideal cluster would make of a scenario, as a yardstick for policies: docs/research/simulator.md describes it.

#include <cstdint>
#include <optional>

#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {

// All slots share the remaining work perfectly, at the mean speed of a fresh attempt, without launches, messages and
// faults, and one job is served at a time. Whenever jobs come, the largest number of them is chosen that can be in
// time, which are served earliest deadline first; then come those without a deadline, and those that are given up,
// least work first. What will come is not known. With Yardstick::IdealWithLaunches a job that is to be in time costs
// the launches that it cannot do without as well.
// REQUIRES: drawn for this seed (lab/scenario/scenario.h), check(drawn).
Outcome run_ideal(const Scenario& drawn, std::uint64_t seed);

// The work of the jobs over what the slots can do while these come, one after another.
struct OfferedLoad {
  double by_attempts = 0;    // as Arrivals::load has it: whole attempts, which are never ended, with launches
  double at_mean_speed = 0;  // as above: what is left to do is done at the mean speed of a fresh attempt
};
// Nothing if all jobs come at once or by one another, or have no mean work. REQUIRES: as above.
std::optional<OfferedLoad> offered_load(const Scenario& drawn, std::uint64_t seed);

}  // namespace ontime::lab
