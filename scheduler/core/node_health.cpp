#include "scheduler/core/node_health.h"

#include <algorithm>

namespace ontime::scheduler {

// Several attempts that fail there together are one reason.
std::optional<TimePoint> NodeHealth::hold(Node& node, TimePoint now) {
  if (now < node.until) return std::nullopt;
  Duration pause = kHoldFirst;
  for (std::uint32_t times = node.holds; times > 0 && pause < kHoldMost; --times) pause *= 2;
  ++node.holds;
  node.until = now + std::min(pause, kHoldMost);
  return node.until;
}

std::optional<TimePoint> NodeHealth::on_failure(NodeId id, JobId job, FailureKind kind, bool works_elsewhere,
                                                TimePoint now) {
  if (kind != FailureKind::Storage && kind != FailureKind::Missing && kind != FailureKind::Node) return std::nullopt;
  Node& node = nodes_[id];
  if (node.jobs.size() < kJobsKept) node.jobs.insert(job);
  if (kind != FailureKind::Node && !works_elsewhere && node.jobs.size() < 2) return std::nullopt;
  return hold(node, now);
}

std::optional<TimePoint> NodeHealth::on_done_elsewhere(NodeId id, TimePoint now) {
  Node& node = nodes_[id];
  if (++node.proofs < kProofs) return std::nullopt;
  return hold(node, now);
}

bool NodeHealth::on_success(NodeId id) {
  const auto node = nodes_.extract(id);
  return !node.empty() && node.mapped().holds > 0;
}

std::vector<NodeId> NodeHealth::forgive(JobId job) {
  std::vector<NodeId> forgiven;
  for (auto entry = nodes_.begin(); entry != nodes_.end();) {
    Node& node = entry->second;
    const bool is_cleared = node.jobs.erase(job) != 0 && node.jobs.empty() && node.proofs == 0;
    if (is_cleared && node.holds > 0) forgiven.push_back(entry->first);
    entry = is_cleared ? nodes_.erase(entry) : std::next(entry);
  }
  return forgiven;
}

}  // namespace ontime::scheduler
