#include "lab/simulator/wire.h"

#include <algorithm>

namespace ontime::lab {

Wire::Wire(const Scenario& scenario, std::uint64_t seed)
    : scenario_(scenario),
      is_steady_(scenario.network_delay.is_constant() && scenario.network.loss <= 0),
      delay_(from_seconds(scenario.network_delay.median())) {
  if (is_steady_) return;
  std::uint64_t nodes = 0;
  for (const NodeGroup& group : scenario.nodes) nodes += group.count;
  for (std::uint64_t way = 0; way < 2 * nodes; ++way) {
    ways_.push_back({Random(seed, Purpose::NetworkDelay, way / 2, way % 2),
                     Random(seed, Purpose::PacketLoss, way / 2, way % 2), TimePoint{}, false});
  }
}

void Wire::connect(std::uint32_t node) {
  if (is_steady_) return;
  for (const std::size_t way : {2 * std::size_t{node}, 2 * std::size_t{node} + 1}) {
    ways_[way].last = TimePoint{};
    ways_[way].is_stuck = false;
  }
}

Passage Wire::send(std::uint32_t node, Direction direction, TimePoint now) {
  Way& way = ways_[2 * std::size_t{node} + static_cast<std::size_t>(direction)];
  if (way.is_stuck) return {};
  const Duration delay = from_seconds(scenario_.network_delay.sample(way.delays));
  const std::optional<double> waited = retransmissions(way.losses);
  if (!waited) {
    way.is_stuck = true;
    return {.arrives = {}, .breaks = now + from_seconds(scenario_.network.give_up)};
  }
  way.last = std::max(way.last, now + from_seconds(*waited) + delay);
  return {.arrives = way.last, .breaks = {}};
}

std::optional<double> Wire::retransmissions(Random& losses) const {
  const Network& network = scenario_.network;
  if (network.loss <= 0) return 0;
  double waited = 0;
  for (double pause = network.retransmit; losses.uniform() < network.loss; pause *= 2) {
    waited += pause;
    if (waited > network.give_up) return std::nullopt;
  }
  return waited;
}

}  // namespace ontime::lab
