#include "lab/experiment/scenario.h"

#include <algorithm>

namespace ontime::lab::experiment {

std::uint32_t nodes_of(const Scenario& scenario) {
  std::uint32_t nodes = 0;
  for (const NodeGroup& group : scenario.nodes) nodes += group.count;
  return nodes;
}

std::uint32_t slots_of(const Scenario& scenario) {
  std::uint32_t slots = 0;
  for (const NodeGroup& group : scenario.nodes) slots += group.count * group.slots;
  return slots;
}

bool has_measured_deadline(const Scenario& scenario) {
  return std::any_of(scenario.jobs.begin(), scenario.jobs.end(),
                     [](const JobGroup& group) { return !group.deadline.medians_of.empty(); });
}

}  // namespace ontime::lab::experiment
