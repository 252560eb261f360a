#pragma once
// Which nodes get no new work for a while because attempts fail there. What one node says of a job proves nothing about
// the node, so it is held back only on evidence:
//
//   it could not start a process                                                      at once
//   it has no such application, or cannot read input or write output, and the job's   at once
//     attempts go well on another node, or a second job says the same of it
//   attempts died there, and others sealed the same segments                          at the third
//
// for 1 s, twice as long each time, at most a minute; a seal there wipes the slate clean. A job that fails everywhere
// was at fault itself: what it has said of nodes is forgotten. A job avoids a node where it has failed for a while in
// any case (failures.cpp). Threads: none of its own. Not durable.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/event.h"

namespace ontime::scheduler {

class NodeHealth {
 public:
  // An attempt of the job has failed there. `works_elsewhere`: another node has sealed something of the job. Returns
  // until when the node is to be held back.
  std::optional<TimePoint> on_failure(NodeId node, JobId job, FailureKind kind, bool works_elsewhere, TimePoint now);
  // A segment that had failed there was sealed by another node.
  std::optional<TimePoint> on_done_elsewhere(NodeId node, TimePoint now);
  // An attempt sealed something there. True if the node was held back for failures before.
  bool on_success(NodeId node);
  // The job has failed by its own fault. Returns the nodes that were held back for nothing else.
  std::vector<NodeId> forgive(JobId job);
  void forget(NodeId node) { nodes_.erase(node); }

  static constexpr Duration kHoldFirst = std::chrono::seconds(1);
  static constexpr Duration kHoldMost = std::chrono::minutes(1);
  static constexpr std::uint32_t kProofs = 3;
  static constexpr std::size_t kJobsKept = 16;

 private:
  struct Node {
    std::set<JobId> jobs;     // that failed there, the first kJobsKept
    std::uint32_t proofs = 0;  // segments that failed there and were sealed elsewhere
    std::uint32_t holds = 0;
    TimePoint until;
  };
  static std::optional<TimePoint> hold(Node& node, TimePoint now);

  std::map<NodeId, Node> nodes_;  // only those where something has failed since they last sealed
};

}  // namespace ontime::scheduler
