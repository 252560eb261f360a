#include "lab/simulator/capacity.h"

#include <algorithm>
#include <string>

#include "common/injection/injection.h"
#include "lab/scenario/purpose.h"

namespace ontime::lab {

Capacity capacity_of(const Scenario& scenario, std::uint64_t seed) {
  Capacity all{.speed = 0, .least_slowness = kForEver, .greatest_slowness = 0};
  std::uint64_t index = 0;
  for (const NodeGroup& group : scenario.nodes) {
    for (std::uint32_t i = 1; i <= group.count; ++i) {
      Random random(seed, Purpose::NodeSlowness, index++);
      const std::string name = group.name + "-" + std::to_string(i);
      const double injected = scenario.injection ? injection::node_factor(*scenario.injection, name) : 1;
      const double slowness = group.slowness.sample(random) * injected;
      if (group.slots == 0) continue;
      all.speed += group.slots / slowness;
      all.least_slowness = std::min(all.least_slowness, slowness);
      all.greatest_slowness = std::max(all.greatest_slowness, slowness);
    }
  }
  return all;
}

}  // namespace ontime::lab
