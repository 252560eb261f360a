#pragma once
// Small scenarios of every kind, for tests that look for what nobody thought of.

#include <cstdint>

#include "lab/scenario/scenario.h"

namespace ontime::lab::test {

// The invariants are checked after every step. Node 0 always comes back, so that every job can end. Without faults:
// no outages, no crashes and no lost packets.
Scenario random_scenario(std::uint64_t seed, bool faults);

// Without faults, and without luck: each attempt and each launch takes the same. Its jobs are some more and come at once.
Scenario scenario_without_luck(std::uint64_t seed);

// Makes its jobs start, read ahead, and have records that take long, each of them or not.
void add_starts(Scenario& scenario, std::uint64_t seed);

}  // namespace ontime::lab::test
