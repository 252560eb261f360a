#pragma once
// What must hold after every step, as code: run by the scheduler itself in debug builds, by the property tests and by
// the simulator.

#include <string>
#include <vector>

#include "scheduler/core/cluster.h"

namespace ontime::scheduler {

// One sentence for each violation; empty when all is well. Looks at everything: linear in tasks and attempts.
std::vector<std::string> violations(const Cluster& cluster);

}  // namespace ontime::scheduler
