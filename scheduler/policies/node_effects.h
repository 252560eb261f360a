#pragma once
// How much of what sets a job's attempts apart is their nodes', and how fast those are: what one node has shown tells
// of the next attempt there, while luck tells nothing.
//
// One-way random effects: ln T = middle + node + rest, with the variance between nodes from the mean squares between
// and within them. A node's effect is its mean, drawn to the middle by as much as its few attempts leave open (the best
// linear unbiased prediction; Searle, Casella, McCulloch: Variance Components, 1992, 3.3).
//
// Threads: none of its own. O(attempts log nodes).

#include <map>
#include <optional>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

class NodeEffects {
 public:
  struct Seen {
    NodeId node;
    double ln_time = 0;  // natural logarithm of its time per byte
  };
  NodeEffects() = default;
  explicit NodeEffects(const std::vector<Seen>& attempts);

  // ln T of an attempt there is so much greater than in the middle; 0 of a node that nothing is known of.
  double of(NodeId node) const;
  // The deviations that remain within a node, as a share of those of all attempts: 1 if nodes explain nothing.
  double within() const { return within_; }

 private:
  double within_ = 1;
  std::map<NodeId, double> effects_;
};

// What the job's attempts have shown of their nodes, by those that run and those that have ended.
NodeEffects node_effects_of(const View& view, const JobView& job);

// The same, reckoned when a node is first asked for: most looks ask for none. View and job must outlive it.
class NodeEffectsOnDemand {
 public:
  NodeEffectsOnDemand(const View& view, const JobView& job) : view_(view), job_(job) {}
  double of(NodeId node) const {
    if (!known_) known_ = node_effects_of(view_, job_);
    return known_->of(node);
  }

 private:
  const View& view_;
  const JobView& job_;
  mutable std::optional<NodeEffects> known_;
};

}  // namespace ontime::scheduler
