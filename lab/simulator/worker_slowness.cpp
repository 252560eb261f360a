// Nodes that become slower and faster while attempts run on them.
#include "common/base/portable_math.h"
#include "lab/simulator/workers.h"

namespace ontime::lab {

// The change with this number, from 0 on: the next of the list, or the next at random.
void Workers::expect_slowness(std::uint32_t index, std::uint32_t change, TimePoint now) {
  const NodeGroup& group = *nodes_[index].group;
  if (change < group.slowness_changes.size()) {
    queue_.push(TimePoint(from_seconds(group.slowness_changes[change].at)), Due::Slowness, index, change);
  } else if (group.slowness_changes_every > 0) {
    Random random(seed_, Purpose::SlownessChange, index, change);
    const double pause = -group.slowness_changes_every * natural_log(random.uniform());
    queue_.push(now + from_seconds(pause), Due::Slowness, index, change);
  }
}

// Attempts go on from where they are, as much faster or slower as their node.
void Workers::change_slowness(std::uint32_t index, std::uint32_t change, TimePoint now) {
  Node& node = nodes_[index];
  const NodeGroup& group = *node.group;
  Random random(seed_, Purpose::SlownessChange, index, change);
  random.uniform();  // when
  const bool is_listed = change < group.slowness_changes.size();
  const double before = node.slowness;
  node.slowness = (is_listed ? group.slowness_changes[change].slowness : group.slowness).sample(random);
  for (const std::uint32_t slot : node.attempts) {
    Attempt& attempt = attempts_[slot];
    if (attempt.phase != Phase::Mapping && attempt.phase != Phase::Sealing) continue;  // its speed is not drawn yet
    attempt.even_speed *= before / node.slowness;
    if (attempt.phase == Phase::Mapping) set_speed(attempt, now);
  }
  expect_slowness(index, change + 1, now);
}

}  // namespace ontime::lab
