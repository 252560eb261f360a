#pragma once
// The nodes by id. Ids are handed out one after the other and none is given twice; a node that is forgotten leaves a
// gap. Every heartbeat looks for a node, so it is found by its place in a page, without a search; pages without nodes
// go, so that forgotten ones take next to nothing. Nodes stay where they are in memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "scheduler/core/node.h"

namespace ontime::scheduler {

class NodeTable {
 public:
  // The id that the next node gets. The newest node is never forgotten: its id is where counting goes on.
  NodeId next() const { return NodeId{nodes_.empty() ? 1 : nodes_.rbegin()->first.value + 1}; }
  // REQUIRES: id >= next().
  Node& add(NodeId id, Node node) {
    ONTIME_CHECK(id >= next(), "nodes are added in order of their ids");
    Node& added = nodes_.emplace_hint(nodes_.end(), id, std::move(node))->second;
    if (pages_.size() <= page_of(id)) pages_.resize(page_of(id) + 1);
    std::unique_ptr<Page>& page = pages_[page_of(id)];
    if (page == nullptr) page = std::make_unique<Page>();
    page->nodes[id.value % kPage] = &added;
    ++page->used;
    return added;
  }
  // REQUIRES: it is there, and not the newest.
  void forget(NodeId id) {
    std::unique_ptr<Page>& page = pages_[page_of(id)];
    page->nodes[id.value % kPage] = nullptr;
    if (--page->used == 0) page = nullptr;
    nodes_.erase(id);
  }

  const Node* find(NodeId id) const { return at(id); }
  Node* find(NodeId id) { return at(id); }

  // Pairs of id and node, in order of id.
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }
  auto begin() { return nodes_.begin(); }
  auto end() { return nodes_.end(); }
  auto from(NodeId first) const { return nodes_.lower_bound(first); }
  std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr std::uint32_t kPage = 256;
  struct Page {
    std::array<Node*, kPage> nodes{};  // into nodes_
    std::uint32_t used = 0;
  };
  static std::size_t page_of(NodeId id) { return id.value / kPage; }
  Node* at(NodeId id) const {
    const std::size_t page = page_of(id);
    return page < pages_.size() && pages_[page] != nullptr ? pages_[page]->nodes[id.value % kPage] : nullptr;
  }

  std::map<NodeId, Node> nodes_;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace ontime::scheduler
