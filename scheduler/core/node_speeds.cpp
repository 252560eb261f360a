#include "scheduler/core/node_speeds.h"

#include <algorithm>
#include <limits>

namespace ontime::scheduler {
namespace {

constexpr double kNewShare = 0.3;  // of the latest attempt in a node's smoothed speed
constexpr double kSpeedClassesPerFactorE = 4 / 0.6931471805599453;  // four for each doubling

}  // namespace

std::size_t NodeSpeeds::Tally::class_of(double own) {
  // What is a border up to the last bits of the logarithm belongs to the class above it on every machine.
  const double place = std::max(0.0, own) * kSpeedClassesPerFactorE + 1e-9;
  return static_cast<std::size_t>(std::min(place, 32.0));
}

void NodeSpeeds::Tally::add(const Node& node, int sign) {
  for (const Seen& seen : node.latest) {
    counts_[class_of(seen.own)] += static_cast<std::uint32_t>(sign);
    all_ += static_cast<std::uint32_t>(sign);
  }
}

std::uint32_t NodeSpeeds::Tally::at_least(double own) const {
  std::uint32_t count = 0;
  for (std::size_t at = class_of(own); at < counts_.size(); ++at) count += counts_[at];
  return count;
}

void NodeSpeeds::observe(NodeId id, TaskId task, double slowness, const std::vector<NodeId>& elsewhere) {
  Node& node = nodes_[id];
  if (!node.slow) usual_.add(node, -1);
  std::erase_if(node.latest, [&](const Seen& seen) { return seen.task == task; });
  if (node.latest.size() == kLatest) node.latest.erase(node.latest.begin());
  const double whole = std::log(slowness);
  node.latest.push_back({task, whole, whole});
  if (!node.slow) usual_.add(node, +1);
  std::vector<NodeId> nodes = elsewhere;
  nodes.push_back(id);
  attribute(task, nodes);
}

// Divides what was seen of the task between the task and the nodes where it ran.
void NodeSpeeds::attribute(TaskId task, const std::vector<NodeId>& ids) {
  std::map<NodeId, Seen*> seen_on;
  double fastest = std::numeric_limits<double>::infinity();
  for (const NodeId id : ids) {
    const auto node = nodes_.find(id);
    if (node == nodes_.end()) continue;
    for (Seen& seen : node->second.latest) {
      if (seen.task != task) continue;
      seen_on[id] = &seen;
      fastest = std::min(fastest, seen.whole);
    }
  }
  const double of_task = seen_on.size() > 1 ? std::max(0.0, fastest) : 0;
  for (const auto& [id, seen] : seen_on) {
    Node& node = nodes_[id];
    if (!node.slow) usual_.add(node, -1);
    seen->own = seen->whole - of_task;
    if (!node.slow) usual_.add(node, +1);
    judge(node);
  }
}

void NodeSpeeds::judge(Node& node) {
  node.log_speed = 0;
  for (const Seen& seen : node.latest) node.log_speed += kNewShare * (-seen.own - node.log_speed);
  if (!node.slow) usual_.add(node, -1);
  node.slow = find_run(node);
  if (!node.slow) usual_.add(node, +1);
}

// The run of latest attempts that luck explains least. REQUIRES: usual_ does not count the node.
std::optional<Slowness> NodeSpeeds::find_run(const Node& node) const {
  const double allowed = kChance / static_cast<double>(std::max(kNodesLeast, nodes_.size()));
  std::optional<Slowness> found;
  double smallest = allowed;
  double least = std::numeric_limits<double>::infinity();
  double sum = 0;
  std::uint32_t count = 0;
  for (auto seen = node.latest.rbegin(); seen != node.latest.rend(); ++seen) {
    least = std::min(least, seen->own);
    sum += seen->own;
    ++count;
    if (count < kLeast || sum < count * std::log(kSlow)) continue;
    const std::uint32_t as_slow = usual_.at_least(least);
    double chance = 1;
    for (std::uint32_t i = 1; i <= count; ++i) {
      chance *= static_cast<double>(as_slow + i) / static_cast<double>(usual_.all() + i);
    }
    if (chance > smallest) continue;
    smallest = chance;
    found = Slowness{count, std::exp(least), std::exp(sum / count), usual_.all(), as_slow};
  }
  return found;
}

std::optional<Slowness> NodeSpeeds::slowness(NodeId id) const {
  const auto node = nodes_.find(id);
  return node == nodes_.end() ? std::nullopt : node->second.slow;
}

double NodeSpeeds::log_speed(NodeId id) const {
  const auto node = nodes_.find(id);
  return node == nodes_.end() ? 0 : node->second.log_speed;
}

void NodeSpeeds::forget(NodeId id) {
  const auto node = nodes_.find(id);
  if (node == nodes_.end()) return;
  if (!node->second.slow) usual_.add(node->second, -1);
  nodes_.erase(node);
}

}  // namespace ontime::scheduler
