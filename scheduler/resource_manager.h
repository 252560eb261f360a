#pragma once
// The ResourceManager's role: which nodes have free slots, how fast they have been, and which node gets the next
// attempt. It follows the facts (refresh) and keeps its index of free slots in order, so that a choice costs the
// logarithm of the number of nodes.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/model/cluster.h"
#include "scheduler/node_speeds.h"

namespace ontime::scheduler {

// How nodes are chosen. Each rule can be switched off, to measure what it is worth.
struct Placement {
  bool apart = true;       // a copy goes to another node than the live attempts of its segment, if one has a slot
  bool fast_first = true;  // among free nodes the one whose attempts have been faster
  bool leave_out = true;   // a node that is slower than luck explains gets nothing for a while
  Duration left_out_for = std::chrono::seconds(60);
};

class ResourceManager {
 public:
  explicit ResourceManager(Placement placement = {}) : placement_(placement) {}

  // The node's state, slots or attempts have changed.
  void refresh(const Cluster& cluster, NodeId node);
  // An attempt that has ended there took `slowness` times as long per byte as is usual in its job (1: as the others).
  void observe_slowness(const Cluster& cluster, NodeId node, double slowness, TimePoint now);
  // Nodes whose time is over are no longer left out.
  void end_exclusions(const Cluster& cluster, TimePoint now);

  const Placement& placement() const { return placement_; }
  std::uint32_t free_slots() const { return free_slots_; }     // of nodes that are not left out
  std::uint32_t slots() const { return slots_; }               // of usable nodes that are not left out, busy or not
  std::size_t usable_nodes() const { return usable_.size(); }  // serve, live and synchronised, busy or not
  bool is_usable(NodeId node) const { return usable_.contains(node); }
  bool is_left_out(NodeId node) const { return left_out_.contains(node); }
  // How fast its attempts have been, against those of other nodes: 1 as the others, 0.5 twice as slow.
  double speed(NodeId node) const { return speeds_.speed(node); }

  // speed() of the nodes of the next `count` free slots, fastest first; fewer if there are not so many.
  std::vector<double> speeds_of_free(std::size_t count) const;

  // A free node that is not in `avoid`: the fastest, then the one with the most free slots, then the lowest id. Nothing
  // if there is none.
  std::optional<NodeId> choose(const std::vector<NodeId>& avoid) const;
  // Whether every usable node is in `avoid`, so that waiting for another one is no use.
  bool covers_all_usable(const std::vector<NodeId>& avoid) const;

  // Of the usable nodes no more than this share is left out at a time.
  static constexpr double kLeftOutShareMax = 1.0 / 3;

 private:
  using Rank = std::tuple<int, std::int64_t, NodeId>;  // slowness class, free slots (negated), id: the best is first
  Rank rank(NodeId node, std::uint32_t free) const;
  void remove(NodeId node);

  Placement placement_;
  std::set<Rank> by_rank_;
  std::map<NodeId, Rank> rank_of_;            // of nodes in by_rank_
  std::map<NodeId, std::uint32_t> slots_of_;  // of nodes that slots_ counts
  std::set<NodeId> usable_;
  NodeSpeeds speeds_;
  std::map<NodeId, TimePoint> left_out_;               // until when
  std::set<std::pair<TimePoint, NodeId>> exclusions_;  // the same by time, and some that are over already
  std::uint32_t free_slots_ = 0;
  std::uint32_t slots_ = 0;
};

}  // namespace ontime::scheduler
