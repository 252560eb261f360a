#include "scheduler/core/node_holds.h"

#include <algorithm>
#include <tuple>

namespace ontime::scheduler {
std::string_view name_of(HoldCause cause) { return cause == HoldCause::Slow ? "slow" : "failing"; }

void NodeHolds::add(NodeId node, Hold hold) {
  const Key key{node, hold.cause};
  const auto old = holds_.find(key);
  if (old != holds_.end()) {
    if (old->second.until >= hold.until) return;
    hold.since = old->second.since;
    ends_.erase({old->second.until, key});
  }
  ends_.emplace(hold.until, key);
  holds_.insert_or_assign(key, std::move(hold));
}

void NodeHolds::remember(const Key& key, Hold hold, TimePoint ended) {
  hold.until = std::clamp(ended, hold.since, std::max(hold.since, hold.until));
  over_.push_back({key.first, std::move(hold), true});
  if (over_.size() > kRemembered) over_.pop_front();
}

void NodeHolds::end(NodeId node, HoldCause cause, TimePoint now) {
  const auto found = holds_.find({node, cause});
  if (found == holds_.end()) return;
  ends_.erase({found->second.until, found->first});
  remember(found->first, std::move(found->second), now);
  holds_.erase(found);
}

void NodeHolds::end_all(NodeId node, TimePoint now) {
  end(node, HoldCause::Slow, now);
  end(node, HoldCause::Failing, now);
}

std::vector<NodeId> NodeHolds::end_due(TimePoint now) {
  std::vector<NodeId> nodes;
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const auto [until, key] = *ends_.begin();
    end(key.first, key.second, until);
    nodes.push_back(key.first);
  }
  return nodes;
}

const Hold* NodeHolds::find(NodeId node, HoldCause cause) const {
  const auto found = holds_.find({node, cause});
  return found == holds_.end() ? nullptr : &found->second;
}

const Hold* NodeHolds::find(NodeId node) const {
  const Hold* failing = find(node, HoldCause::Failing);
  return failing != nullptr ? failing : find(node, HoldCause::Slow);
}

std::size_t NodeHolds::count(HoldCause cause) const {
  return static_cast<std::size_t>(
      std::count_if(holds_.begin(), holds_.end(), [&](const auto& held) { return held.first.second == cause; }));
}

std::vector<HeldNode> NodeHolds::between(TimePoint from, TimePoint to) const {
  std::vector<HeldNode> held(over_.begin(), over_.end());
  for (const auto& [key, hold] : holds_) held.push_back({key.first, hold, false});
  std::erase_if(held,
                [&](const HeldNode& one) { return one.hold.since > to || (one.is_over && one.hold.until < from); });
  std::sort(held.begin(), held.end(), [](const HeldNode& a, const HeldNode& b) {
    return std::tie(a.hold.since, a.node, a.hold.cause) < std::tie(b.hold.since, b.node, b.hold.cause);
  });
  return held;
}

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
