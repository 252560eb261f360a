#pragma once
// A cluster that is quick to simulate, and the log of a run.

#include <string>
#include <string_view>

#include "lab/simulator/simulator.h"

namespace ontime::lab {

// Three nodes of two slots, alike; every invariant is checked after every step.
inline Scenario small_cluster() {
  Scenario scenario;
  scenario.nodes = {{.count = 3, .slots = 2, .slowness = Distribution::constant(1)}};
  scenario.check_invariants = true;
  return scenario;
}

inline std::string log_of(const Scenario& scenario, std::uint64_t seed) {
  std::string log;
  run(scenario, seed, {[&](std::string_view line) { log.append(line).push_back('\n'); }});
  return log;
}

}  // namespace ontime::lab
