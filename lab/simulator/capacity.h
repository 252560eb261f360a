#pragma once
// What the slots of a scenario's nodes can do together.

#include <cstdint>

#include "lab/scenario/scenario.h"

namespace ontime::lab {

struct Capacity {
  double speed = 0;  // of all slots together, in slots of slowness 1
  double least_slowness = 1;
  double greatest_slowness = 1;
};
// With the slownesses that nodes have in a run with this seed.
Capacity capacity_of(const Scenario& scenario, std::uint64_t seed);

}  // namespace ontime::lab
