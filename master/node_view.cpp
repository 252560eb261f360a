#include "master/node_view.h"

#include <algorithm>
#include <string>

namespace ontime::master {
namespace {

using scheduler::Hold;

// What people are shown: whether it is connected, unless its duty tells more.
const char* state_of(const scheduler::Node& node) {
  if (node.duty == scheduler::Duty::Left) return "left";
  switch (node.state) {
    case scheduler::NodeState::Live:
      if (node.duty != scheduler::Duty::Serves) return node.live.empty() ? "drained" : "draining";
      return "live";
    case scheduler::NodeState::Silent:
      return "silent";
    case scheduler::NodeState::Lost:
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
  if (const Hold* hold = scheduler.resources().hold_of(id)) fill(*summary.mutable_hold(), *hold, now);
  return summary;
}

void append_held_nodes(wire::Reply::Explained& reply, const scheduler::Job& job,
                       const scheduler::Scheduler& scheduler, TimePoint now) {
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

}  // namespace ontime::master
