#pragma once
// Worker processes: what is expected of one, what is known of it, and all of them by id.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/base/wording.h"
#include "scheduler/core/idle_runners.h"

namespace ontime::scheduler {

// What is expected of a node: that it works, is being taken out, or is gone in good order. Durable.
//
//   Serves <--operator--> Drains --its worker's wish--> Leaves --nothing runs there any more--> Left
//      '---------------------its worker's wish-----------^
//
// What a draining node (Drains, Leaves) promises: it gets no new attempt; each of its attempts is asked to stop at
// its next record, seals what it has mapped and gives back the rest, which any other node goes on with at once. So no
// record is mapped a second time and nothing counts as a failure. A standby has mapped nothing and ends; of several
// attempts that race one segment only the farthest seals, any other ends. One that does not answer in time
// ends, and its segment starts again at its begin, as for any cut. When nothing runs there any more, all that was
// sealed there is durable with the master: a worker that leaves is released then, and the node is Left, which is not
// lost.
enum class Duty : std::uint8_t { Serves, Drains, Leaves, Left };
constexpr bool drains(Duty duty) { return duty == Duty::Drains || duty == Duty::Leaves; }
constexpr const char* name_of(Duty duty) { return name_at<Duty::Left>(duty, "serves", "drains", "leaves", "left"); }

// Silent: known, but not heard of since the master's start or since its connection was dropped.
enum class NodeState : std::uint8_t { Live, Silent, Lost };

struct Node {
  std::string incarnation;  // random, one per worker process
  std::string name;
  std::string host;
  std::uint32_t slots = 0;
  NodeState state = NodeState::Silent;
  Duty duty = Duty::Serves;
  bool synchronised = false;               // has sent its inventory since it last registered; only then gets work
  TimePoint heard_at;                      // last event from it
  TimePoint leaves_at = TimePoint::max();  // its worker has announced to leave then on its own. Not durable, as `stay`
  Duration stay{0};                        // that was left until then when it was first announced
  TimePoint lost_at;           // when it was given up, if it was; later than its silence says if the master slept
  std::set<AttemptId> live;    // attempts that occupy its slots; never more than `slots`
  IdleRunners idle_runners;    // not durable: a worker that registers again has ended them
  std::uint32_t failures = 0;  // attempts that failed here
  std::uint32_t jobs = 0;      // remembered ones that ever ran an attempt here
};

// The nodes by id. Ids are handed out one after the other and none is given twice; a node that is forgotten leaves a
// gap. Every heartbeat looks for a node, so it is found by its place in a page, without a search; pages without nodes
// go, so that forgotten ones take next to nothing. Nodes stay where they are in memory.
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
