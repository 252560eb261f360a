#pragma once
// Nodes that are held back: they serve and are heard of, but get no new work for a time, for a cause that people can
// read; and NodeHealth, which judges by failures. One place for all causes; what lists, pages, metrics and explanations
// show of it comes from here.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/event.h"

namespace ontime::scheduler {

enum class HoldCause : std::uint8_t {
  Slow,     // its attempts take longer than luck explains
  Failing,  // its attempts fail
};
std::string_view name_of(HoldCause cause);  // "slow"

struct Hold {
  HoldCause cause = HoldCause::Slow;
  TimePoint since;
  TimePoint until;
  std::string reason;  // one sentence for people, without a full stop
};

// A hold that was, or is.
struct HeldNode {
  NodeId node;
  Hold hold;
  bool is_over = false;  // then `until` is when it ended
};

class NodeHolds {
 public:
  // A longer hold replaces a shorter one of the same cause and goes on with it.
  void add(NodeId node, Hold hold);
  void end(NodeId node, HoldCause cause, TimePoint now);
  void end_all(NodeId node, TimePoint now);
  // Ends what is over by then; returns the nodes.
  std::vector<NodeId> end_due(TimePoint now);

  // The strictest hold of the node, Failing before Slow. Null: it is not held back.
  const Hold* find(NodeId node) const;
  const Hold* find(NodeId node, HoldCause cause) const;
  std::size_t count(HoldCause cause) const;
  // Those that touch the time, in order of their beginning. Of those that are over the latest kRemembered are known.
  std::vector<HeldNode> between(TimePoint from, TimePoint to) const;

  static constexpr std::size_t kRemembered = 256;

 private:
  using Key = std::pair<NodeId, HoldCause>;
  void remember(const Key& key, Hold hold, TimePoint ended);

  std::map<Key, Hold> holds_;
  std::set<std::pair<TimePoint, Key>> ends_;  // of holds_
  std::deque<HeldNode> over_;
};

// Which nodes get no new work for a while because attempts fail there. What one node says of a job proves nothing about
// the node, so it is held back only on evidence:
//
//   it could not start a process                                                      at once
//   it has no such application, or cannot read input or write output, and the job's   at once
//     attempts go well on another node, or a second job says the same of it
//   attempts died there, and others sealed the same segments                          at the third
//
// for 1 s, twice as long each time, at most a minute; a seal there clears its record. A job that fails everywhere
// was at fault itself, so its evidence against nodes is dropped. A job avoids a node where it has failed for a while in
// any case (failures.cpp). Threads: none of its own. Not durable.
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
    std::set<JobId> jobs;      // that failed there, the first kJobsKept
    std::uint32_t proofs = 0;  // segments that failed there and were sealed elsewhere
    std::uint32_t holds = 0;
    TimePoint until;
  };
  static std::optional<TimePoint> hold(Node& node, TimePoint now);

  std::map<NodeId, Node> nodes_;  // only those where something has failed since they last sealed
};

}  // namespace ontime::scheduler
