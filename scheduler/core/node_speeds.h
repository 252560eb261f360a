#pragma once
// How fast nodes are, by the attempts that have ended there, and which of them are slower than luck explains.
//
// Attempts differ much by themselves: where their times have a Pareto tail with beta 1.5, every sixth takes twice the
// median; elsewhere one task in twenty takes six times as long, wherever it runs. That is luck, and luck does not care
// for nodes: it deals attempts out to them like cards. So a node is called slow when its latest attempts, on different
// tasks and without an exception, were slow, and luck would hardly have done that. If k of N attempts elsewhere were at
// least as slow as the fastest of the node's n latest, luck puts these n among the k + n slowest with probability
// (k + n over n) / (N + n over n), however times are distributed. That has to be small even though as many nodes are
// looked at as there are.
//
// What a task took on the fastest of its nodes is the task's: it counts against none of them.
//
// Threads: none of its own. O(log nodes) an attempt.

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/ids.h"

namespace ontime::scheduler {

// That a node is slow.
struct Slowness {
  std::uint32_t attempts = 0;  // its latest, on different tasks
  double least = 1;            // each took at least so many times as long as is usual
  double typical = 1;          // their geometric mean
  std::uint32_t elsewhere = 0;  // latest attempts of other nodes
  std::uint32_t as_slow = 0;    // of them: took at least as long
};

class NodeSpeeds {
 public:
  // An attempt on the task took `slowness` (> 0, finite) times as long per byte as is usual in its job; 1: as the
  // others. `elsewhere`: nodes where other attempts on the same task have ended.
  void observe(NodeId node, TaskId task, double slowness, const std::vector<NodeId>& elsewhere);
  // Nothing: luck explains what its attempts took.
  std::optional<Slowness> slowness(NodeId node) const;
  // How fast its attempts have been, against those of other nodes: 1 as the others, 0.5 twice as slow.
  double speed(NodeId node) const { return std::exp(log_speed(node)); }
  double log_speed(NodeId node) const;  // its natural logarithm
  void forget(NodeId node);

  static constexpr double kSlow = 2;           // in the geometric mean
  static constexpr std::uint32_t kLeast = 2;   // attempts
  static constexpr std::size_t kLatest = 16;   // attempts that are remembered of each node
  // Luck alone makes a node slow with at most this probability each time that all nodes have ended an attempt.
  static constexpr double kChance = 0.01;
  static constexpr std::size_t kNodesLeast = 50;  // a smaller cluster is judged as if it had so many nodes

 private:
  struct Seen {
    TaskId task;
    double whole = 0;  // natural logarithm of its slowness
    double own = 0;    // of it: the node's share
  };
  struct Node {
    double log_speed = 0;  // natural logarithm, smoothed over `latest`
    std::vector<Seen> latest;  // oldest first
    std::optional<Slowness> slow;
  };
  // How many attempts were how slow: of each class, the one behind the last taking all above.
  class Tally {
   public:
    void add(const Node& node, int sign);
    std::uint32_t at_least(double own) const;
    std::uint32_t all() const { return all_; }

   private:
    static std::size_t class_of(double own);
    std::array<std::uint32_t, 33> counts_{};
    std::uint32_t all_ = 0;
  };

  void attribute(TaskId task, const std::vector<NodeId>& nodes);
  void judge(Node& node);
  std::optional<Slowness> find_run(const Node& node) const;

  std::map<NodeId, Node> nodes_;
  Tally usual_;  // the latest attempts of all nodes but the slow ones
};

}  // namespace ontime::scheduler
