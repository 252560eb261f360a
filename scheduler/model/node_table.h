#pragma once
// The nodes by id. Ids are handed out one after the other and none is ever taken back, so that a node is found by its
// place, without a search: every heartbeat looks for one. Nodes stay where they are in memory.

#include <deque>
#include <utility>

#include "common/base/ids.h"
#include "scheduler/model/node.h"

namespace ontime::scheduler {

class NodeTable {
 public:
  // The id that the next node gets.
  NodeId next() const { return NodeId{static_cast<std::uint32_t>(nodes_.size()) + 1}; }
  Node& add(Node node) { return nodes_.emplace_back(next(), std::move(node)).second; }

  const Node* find(NodeId id) const { return has(id) ? &nodes_[id.value - 1].second : nullptr; }
  Node* find(NodeId id) { return has(id) ? &nodes_[id.value - 1].second : nullptr; }

  // Pairs of id and node, in order of id.
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }
  auto begin() { return nodes_.begin(); }
  auto end() { return nodes_.end(); }
  std::size_t size() const { return nodes_.size(); }

 private:
  bool has(NodeId id) const { return id.value - 1 < nodes_.size(); }  // 0 wraps around and is too large

  std::deque<std::pair<const NodeId, Node>> nodes_;
};

}  // namespace ontime::scheduler
