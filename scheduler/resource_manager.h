#pragma once
// The ResourceManager's role: which nodes have free slots, and which node gets the next attempt. It follows the facts
// (refresh) and keeps its index of free slots in order, so that a choice costs the logarithm of the number of nodes.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/model/cluster.h"

namespace ontime::scheduler {

class ResourceManager {
 public:
  // The node's state, slots or attempts have changed.
  void refresh(const Cluster& cluster, NodeId node);

  std::uint32_t free_slots() const { return free_slots_; }
  std::size_t usable_nodes() const { return usable_.size(); }  // live and synchronised, busy or not
  bool is_usable(NodeId node) const { return usable_.contains(node); }

  // The node with the most free slots (then the lowest id) that is not in `avoid`; nothing if there is none.
  std::optional<NodeId> choose(const std::vector<NodeId>& avoid) const;
  // Whether every usable node is in `avoid`, so that waiting for another one is no use.
  bool covers_all_usable(const std::vector<NodeId>& avoid) const;

 private:
  // Most free slots first: the number is stored negated.
  std::set<std::pair<std::int64_t, NodeId>> by_free_;
  std::map<NodeId, std::uint32_t> free_of_;
  std::set<NodeId> usable_;
  std::uint32_t free_slots_ = 0;
};

}  // namespace ontime::scheduler
