#pragma once
// The ResourceManager's role: which nodes have free slots, how fast they have been, which of them are held back, and
// which node gets the next attempt. It follows the facts (refresh) and keeps its index of free slots in order, so that
// a choice costs the logarithm of the number of nodes.
//
// A node that is held back as Failing gets nothing. One that is held back as Slow comes after all others, and gets an
// original only while so much work waits that it will be done with that attempt before the others come to it: a node
// three times as slow is used while three more attempts wait for each slot.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/node_holds.h"
#include "scheduler/core/node_speeds.h"

namespace ontime::scheduler {

class Cluster;
struct Node;

// How nodes are chosen. Each rule can be switched off, to measure what it is worth.
struct Placement {
  bool apart = true;       // a copy goes to another node than the live attempts of its segment, if one has a slot
  bool fast_first = true;  // among free nodes the one whose attempts have been faster
  bool leave_out = true;   // a node that is slower than luck explains is held back for a while
  bool warm_first = true;  // among nodes about as fast one where a runner that has loaded the job is idle
  Duration left_out_for = std::chrono::seconds(60);  // twice as long each time that it comes back and is still slow
};

// The job that asks for a node. Its idle runners draw an attempt, by what a launch takes as a share of what the job's
// attempts then map for: nodes that much slower are worth it. A node whose worker leaves before an attempt has had
// `stay` gets none.
struct Asker {
  JobId job{};
  double launch_share = 0;
  TimePoint now{};
  Duration stay{0};
};

class ResourceManager {
 public:
  explicit ResourceManager(Placement placement = {}) : placement_(placement) {}

  // The node's state, slots or attempts have changed.
  void refresh(const Cluster& cluster, NodeId node);
  // An attempt on the task that has ended there took `slowness` times as long per byte as is usual in its job (1: as
  // the others).
  void observe_slowness(const Cluster& cluster, NodeId node, TaskId task, double slowness, TimePoint now);

  // No new work for the node until then; a longer hold replaces a shorter one of the same cause.
  void hold(const Cluster& cluster, NodeId node, Hold hold);
  void release_hold(const Cluster& cluster, NodeId node, TimePoint now, HoldCause cause = HoldCause::Failing);
  // Holds whose time is over end.
  void end_holds(const Cluster& cluster, TimePoint now);
  const Hold* hold_of(NodeId node) const { return holds_.find(node); }  // null: none; of two the Failing one
  bool is_held(NodeId node) const { return hold_of(node) != nullptr; }
  const NodeHolds& holds() const { return holds_; }
  std::size_t idle_held_nodes() const { return held_free_.size(); }  // usable, held back, with a free slot

  // Before slots are given out: so many attempts wait. Says what nodes that are held back as Slow may take of them.
  void offer_slow(std::uint32_t waiting);
  bool has_slow_free() const;  // whether that matters

  const Placement& placement() const { return placement_; }
  std::uint32_t free_slots() const { return free_slots_; }    // of nodes that are not held back
  std::uint32_t slots() const { return slots_; }              // of usable nodes that are not held back, busy or not
  std::uint32_t slots_there() const { return slots_there_; }  // of all nodes that may have attempts, drained ones too
  bool has_room() const { return free_slots_ > 0 || !offers_.empty(); }
  std::size_t usable_nodes() const { return usable_.size(); }  // serve, live and synchronised, busy or not
  bool is_usable(NodeId node) const { return usable_.contains(node); }
  // How fast its attempts have been, against those of other nodes: 1 as the others, 0.5 twice as slow.
  double speed(NodeId node) const { return speeds_.speed(node); }

  // Nodes with free slots and how many, those that get work first first.
  template <typename Visit>
  void for_each_free(Visit&& visit) const {
    for (const auto& [slowness, free, node] : by_rank_) visit(node, static_cast<std::uint32_t>(-free));
  }
  // speed() of the nodes of the next `count` free slots, fastest first; fewer if there are not so many.
  std::vector<double> speeds_of_free(std::size_t count) const;

  // A free node that is not in `avoid`: the fastest, then the one with the most free slots, then the lowest id. Nothing
  // if there is none.
  // Before others that are not much faster, one where a runner of that job is idle.
  std::optional<NodeId> choose(const std::vector<NodeId>& avoid, const Asker& asker = {}) const;
  // The same for work that nobody is at: if there is none, a slow one that may take it.
  std::optional<NodeId> choose_for_waiting(const std::vector<NodeId>& avoid, const Asker& asker = {}) const;
  // Free slots where an attempt of the job has nothing to load.
  std::uint32_t warm_slots(JobId job) const;
  // Whether every usable node is in `avoid`, so that waiting for another one is no use.
  bool covers_all_usable(const std::vector<NodeId>& avoid) const;

  // At most this share of the usable nodes is held back as Slow at a time.
  static constexpr double kSlowShareMax = 1.0 / 3;

 private:
  using Rank = std::tuple<int, std::int64_t, NodeId>;  // slowness class, free slots (negated), id: the best is first
  struct Slots {
    std::uint32_t there = 0;
    std::uint32_t open = 0;  // as far as slots() counts them
  };
  struct HeldFree {
    std::uint32_t free = 0;
    std::uint32_t live = 0;
    HoldCause cause = HoldCause::Slow;
  };
  struct Leave {
    TimePoint at;
    Duration least;  // an attempt may always have so much: half of the node's stay
  };
  struct Offer {
    double slowness = 1;
    NodeId node;
    std::uint32_t live_most = 0;  // attempts that it may have
  };
  Rank rank(NodeId node, std::uint32_t free) const;
  void remove(NodeId node);
  void forget(NodeId node, const Node* facts);
  void insert(const Node& facts, NodeId node);
  void insert_warm(const Node& facts, NodeId node, const Rank& place);
  void remove_warm(NodeId node, const Rank& place);
  void judge(const Cluster& cluster, NodeId node, TimePoint now);
  void hold_as_slow(const Cluster& cluster, NodeId node, const Slowness& slowness, TimePoint now);
  double slowness_of(NodeId node) const;
  bool is_open(const Offer& offer) const;
  bool stays_for(const Asker& asker, NodeId node) const;

  Placement placement_;
  std::set<Rank> by_rank_;
  std::map<NodeId, Rank> rank_of_;  // of nodes in by_rank_
  std::map<NodeId, Slots> slots_of_;
  // Warm slots of nodes in by_rank_, by job; and those nodes' jobs.
  std::map<JobId, std::map<Rank, std::uint32_t>> warm_;
  std::map<NodeId, std::vector<JobId>> warm_jobs_of_;
  std::set<NodeId> usable_;
  std::map<NodeId, Leave> leaves_;  // of usable nodes whose workers will leave by themselves
  NodeSpeeds speeds_;
  NodeHolds holds_;
  std::map<NodeId, std::uint32_t> slow_holds_;  // in a row, of nodes that have been slow since
  std::map<NodeId, HeldFree> held_free_;        // of usable nodes that are held back and have free slots
  std::vector<Offer> offers_;                   // the fastest is last
  std::uint32_t free_slots_ = 0;
  std::uint32_t slots_ = 0;
  std::uint32_t slots_there_ = 0;
};

}  // namespace ontime::scheduler
