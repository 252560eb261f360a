#pragma once
// Which built-in error is active, in the build that has them (scheduler/core/planted.h).

#include <string_view>
#include <vector>

#include "scheduler/core/planted.h"

namespace ontime::simulator::faults {

struct PlantName {
  Plant plant;
  std::string_view name;
};
const std::vector<PlantName>& plants();

#ifdef ONTIME_PLANTED
// For the whole process; not while schedules run.
void plant(Plant plant);
#endif

}  // namespace ontime::simulator::faults
