#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/units.h"
#include "common/protocol/convert.h"
#include "master/base/text.h"
#include "master/clients/views.h"

namespace ontime::master {

namespace {

using scheduler::Duty;
using scheduler::Hold;
using scheduler::NodeState;

// What people are shown: whether it is connected, unless its duty tells more.
const char* state_of(const scheduler::Node& node) {
  if (node.duty == Duty::Left) return "left";
  switch (node.state) {
    case NodeState::Live:
      if (node.duty != Duty::Serves) return node.live.empty() ? "drained" : "draining";
      return "live";
    case NodeState::Silent:
      return "silent";
    case NodeState::Lost:
      return "lost";
  }
  return "unknown";
}

void fill(wire::Hold& view, const Hold& hold, TimePoint now) {
  view.set_cause(std::string(name_of(hold.cause)));
  view.set_so_far_ns((now - hold.since).count());
  view.set_left_ns(std::max(hold.until - now, Duration::zero()).count());
  view.set_reason(hold.reason);
}

}  // namespace

wire::NodeSummary summary_of(NodeId id, const scheduler::Scheduler& scheduler, TimePoint now) {
  const scheduler::Node& node = *scheduler.cluster().find_node(id);
  wire::NodeSummary summary;
  summary.set_node(id.value);
  summary.set_name(node.name);
  summary.set_host(node.host);
  summary.set_state(state_of(node));
  summary.set_slots(node.slots);
  summary.set_busy(static_cast<std::uint32_t>(node.live.size()));
  summary.set_silent_ns((now - node.heard_at).count());
  summary.set_attempts_failed(node.failures);
  summary.set_speed(scheduler.resources().speed(id));
  if (node.leaves_at < TimePoint::max()) summary.set_leaves_in_ns(std::max(node.leaves_at - now, Duration(1)).count());
  if (const Hold* hold = scheduler.resources().hold_of(id)) fill(*summary.mutable_hold(), *hold, now);
  return summary;
}

void append_held_nodes(wire::Reply::Explained& reply, const scheduler::Job& job, const scheduler::Scheduler& scheduler,
                       TimePoint now) {
  const TimePoint end = is_final(job.state) ? job.ended_at : now;
  for (const scheduler::HeldNode& held : scheduler.resources().holds().between(job.submitted_at, end)) {
    wire::HeldNode& view = *reply.add_held_nodes();
    view.set_node(held.node.value);
    if (const scheduler::Node* node = scheduler.cluster().find_node(held.node)) view.set_node_name(node->name);
    view.set_cause(std::string(name_of(held.hold.cause)));
    view.set_since_ns((held.hold.since - job.submitted_at).count());
    view.set_until_ns((held.hold.until - job.submitted_at).count());
    view.set_is_over(held.is_over);
    view.set_reason(held.hold.reason);
  }
}

namespace {

NodeId numbered(const scheduler::Cluster& cluster, std::string_view text) {
  constexpr std::string_view kPrefix = "node-";
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  const auto number = number_in<std::uint32_t>(text);
  return number && cluster.find_node(NodeId{*number}) != nullptr ? NodeId{*number} : NodeId{};
}

}  // namespace

// A name first: it may look like a number.
Result<NodeId> named_node(const scheduler::Cluster& cluster, const std::string& text) {
  std::vector<NodeId> called;
  for (const auto& [id, node] : cluster.nodes()) {
    if (node.name == text && node.state != NodeState::Lost && node.duty != Duty::Left) called.push_back(id);
  }
  if (called.size() == 1) return called.front();
  if (called.size() > 1) {
    return bad_input("There are " + std::to_string(called.size()) + " nodes called '" + readable(text) + "', " +
                     to_string(called[0]) + " and " + to_string(called[1]) + " among them; give the number.");
  }
  if (const NodeId node = numbered(cluster, text); node != NodeId{}) return node;
  return bad_input("No such node: '" + readable(text) + "'. Run 'ontime nodes' to list known nodes.");
}

}  // namespace ontime::master
