#include "scheduler/node_speeds.h"

#include <algorithm>

namespace ontime::scheduler {
namespace {

constexpr double kNewShare = 0.3;         // of the latest attempt in a node's smoothed speed
constexpr double kWidest = 3;             // standard deviations
constexpr double kRememberedMost = 1024;  // attempts; older ones fade

}  // namespace

void NodeSpeeds::Everyone::add(double log_slowness) {
  const double widest = kWidest * std::sqrt(variance);
  const double value = std::clamp(log_slowness, mean - widest, mean + widest);
  weight = std::min(weight + 1, kRememberedMost);
  const double away = value - mean;
  mean += away / weight;
  variance += (away * (value - mean) - variance) / weight;
}

bool NodeSpeeds::observe(NodeId id, double slowness) {
  const double value = std::log(slowness);
  Node& node = nodes_[id];
  node.log_speed += kNewShare * (-value - node.log_speed);
  node.attempts = std::min(node.attempts + 1, kLatest);
  node.log_slowness += (value - node.log_slowness) / node.attempts;
  const double error = std::sqrt(everyone_.variance / node.attempts);
  const bool is_slow = node.attempts >= kLeast && node.log_slowness >= std::log(kSlow) &&
                       node.log_slowness - everyone_.mean >= kErrors * error;
  everyone_.add(value);
  return is_slow;
}

double NodeSpeeds::log_speed(NodeId id) const {
  const auto node = nodes_.find(id);
  return node == nodes_.end() ? 0 : node->second.log_speed;
}

void NodeSpeeds::put_on_probation(NodeId id) {
  if (const auto node = nodes_.find(id); node != nodes_.end()) node->second.attempts = 1;
}

}  // namespace ontime::scheduler
