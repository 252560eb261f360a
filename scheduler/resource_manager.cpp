#include "scheduler/resource_manager.h"

#include <algorithm>

#include "common/base/check.h"

namespace ontime::scheduler {

void ResourceManager::refresh(const Cluster& cluster, NodeId id) {
  if (const auto old = free_of_.find(id); old != free_of_.end()) {
    by_free_.erase({-static_cast<std::int64_t>(old->second), id});
    free_slots_ -= old->second;
    free_of_.erase(old);
  }
  const Node* node = cluster.find_node(id);
  if (node == nullptr || node->state != NodeState::Live || !node->synchronised) {
    usable_.erase(id);
    return;
  }
  usable_.insert(id);
  ONTIME_CHECK(node->live.size() <= node->slots, "a slot holds at most one attempt");
  const auto free = node->slots - static_cast<std::uint32_t>(node->live.size());
  if (free == 0) return;
  free_of_.emplace(id, free);
  by_free_.emplace(-static_cast<std::int64_t>(free), id);
  free_slots_ += free;
}

std::optional<NodeId> ResourceManager::choose(const std::vector<NodeId>& avoid) const {
  for (const auto& [negated_free, node] : by_free_) {
    if (std::find(avoid.begin(), avoid.end(), node) == avoid.end()) return node;
  }
  return std::nullopt;
}

bool ResourceManager::covers_all_usable(const std::vector<NodeId>& avoid) const {
  return std::all_of(usable_.begin(), usable_.end(),
                     [&](NodeId node) { return std::find(avoid.begin(), avoid.end(), node) != avoid.end(); });
}

}  // namespace ontime::scheduler
