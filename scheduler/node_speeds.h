#pragma once
// How fast nodes are, by the attempts that have ended there, and which of them are slower than luck explains. Attempts
// differ much by themselves: where their times have a Pareto tail with beta 1.5, every sixth takes twice the median. So
// a node is judged by the mean of the logarithms of its latest attempts, against the spread of all attempts of the
// cluster. Threads: none of its own. O(log nodes) an attempt.

#include <cmath>
#include <cstdint>
#include <map>

#include "common/base/ids.h"

namespace ontime::scheduler {

class NodeSpeeds {
 public:
  // An attempt took `slowness` (> 0, finite) times as long per byte as is usual in its job; 1: as the others. True if
  // the node's attempts now are slow: kSlow times the usual in the mean, and kErrors standard errors above all nodes'
  // mean.
  bool observe(NodeId node, double slowness);
  // How fast its attempts have been, against those of other nodes: 1 as the others, 0.5 twice as slow.
  double speed(NodeId node) const { return std::exp(log_speed(node)); }
  double log_speed(NodeId node) const;  // its natural logarithm
  // As if it had ended a single attempt, as slow as its mean: the next ones decide.
  void put_on_probation(NodeId node);
  void forget(NodeId node) { nodes_.erase(node); }

  static constexpr double kSlow = 2;
  // Leaves out a node without cause after one attempt in 2,500 (beta 1.5), and finds one that is five times as slow
  // after three.
  static constexpr double kErrors = 4;
  static constexpr std::uint32_t kLeast = 2;   // attempts
  static constexpr std::uint32_t kLatest = 8;  // attempts; older ones fade

 private:
  struct Node {
    double log_speed = 0;     // natural logarithm, smoothed
    double log_slowness = 0;  // mean of the latest
    std::uint32_t attempts = 0;
  };
  // Mean and variance of ln slowness over all nodes. It begins as if it had seen a few attempts of the usual spread;
  // single values count within three standard deviations, so that a slow node does not hide itself.
  struct Everyone {
    double mean = 0;
    double variance = 0.16;
    double weight = 5;
    void add(double log_slowness);
  };

  std::map<NodeId, Node> nodes_;
  Everyone everyone_;
};

}  // namespace ontime::scheduler
