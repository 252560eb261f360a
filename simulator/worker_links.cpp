// How the simulated workers are connected to the master: registration, heartbeats, reports, what outages do to them.
#include <algorithm>

#include "simulator/workers.h"

namespace ontime::simulator {

namespace event = scheduler::event;

std::optional<scheduler::Event> Workers::registration(const Upcoming& due) {
  Node& node = nodes_[due.subject];
  if (node.connection != due.generation || !node.is_alive || !node.is_reachable) return std::nullopt;
  node.is_connected = true;
  return event::NodeRegistered{node.name + "." + std::to_string(node.incarnation), node.name, node.name, node.slots};
}

std::vector<scheduler::Event> Workers::after_registration(std::uint32_t index, NodeId id, TimePoint now) {
  Node& node = nodes_[index];
  node.id = id;
  if (index_of_.size() < id.value) index_of_.resize(id.value);
  index_of_[id.value - 1] = index;
  std::vector<scheduler::Event> events;
  for (Kept& kept : node.kept) {
    kept.acknowledged_at = now + 2 * delay_;
    events.push_back(kept.what);
  }
  events.emplace_back(event::NodeInventory{id, progress(node, now)});
  expect_beat(index, now);
  return events;
}

std::optional<scheduler::Event> Workers::arrived(std::uint32_t slot) {
  Report report = reports_.take(slot);
  const Node& node = nodes_[report.node];
  if (!node.is_connected || node.connection != report.connection) return std::nullopt;
  return std::move(report.what);
}

void Workers::report(std::uint32_t index, scheduler::Event what, TimePoint now) {
  Node& node = nodes_[index];
  if (keeps_reports_) {
    while (!node.kept.empty() && node.kept.front().acknowledged_at <= now) node.kept.pop_front();
    node.kept.push_back({node.is_connected ? now + 2 * delay_ : TimePoint::max(), what});
  }
  if (node.is_connected)
    queue_.push(Lane::Message, now + delay_, Due::Report, reports_.put({index, node.connection, std::move(what)}));
}

// Heartbeats ----------------------------------------------------------------------------------------------------------

std::vector<scheduler::AttemptProgress> Workers::progress(const Node& node, TimePoint now) const {
  std::vector<scheduler::AttemptProgress> all;
  all.reserve(node.attempts.size());
  for (const std::uint32_t slot : node.attempts) {
    const Attempt& attempt = attempts_[slot];
    all.push_back({.attempt = attempt.id, .offset = attempt.motion.offset(now), .records = 0, .output_bytes = 0});
  }
  return all;
}

void Workers::beat(std::uint32_t index, TimePoint now) {
  Node& node = nodes_[index];
  ++heartbeats_;
  if (node.is_connected) {
    queue_.push(Lane::Message, now + delay_, Due::Report,
                reports_.put({index, node.connection, event::Heartbeat{node.id, progress(node, now)}}));
  }
  expect_beat(index, now);
}

// A node without attempts has nothing to say but that it lives, so it says so less often.
void Workers::expect_beat(std::uint32_t index, TimePoint now) {
  Node& node = nodes_[index];
  node.is_idle = node.attempts.empty();
  if (node.is_idle)
    queue_.push(Lane::IdleBeat, now + idle_beat_every_, Due::Heartbeat, index, ++node.pulse);
  else
    queue_.push(Lane::Beat, now + beat_every_, Due::Heartbeat, index, ++node.pulse);
}

// Outages -------------------------------------------------------------------------------------------------------------

void Workers::disconnect(Node& node, TimePoint now) {
  node.is_connected = false;
  ++node.connection;
  while (!node.kept.empty() && node.kept.front().acknowledged_at <= now) node.kept.pop_front();
}

void Workers::connect_soon(std::uint32_t index, TimePoint now) {
  queue_.push(now + from_seconds(scenario_.reconnect) + delay_, Due::Registration, index, nodes_[index].connection);
}

void Workers::drop(NodeId id, TimePoint now) {
  const std::uint32_t index = index_of_[id.value - 1];
  Node& node = nodes_[index];
  if (node.id != id || !node.is_connected) return;
  disconnect(node, now);
  connect_soon(index, now);
}

void Workers::begin_outage(const Outage& outage, TimePoint now) {
  Node& node = nodes_[outage.node];
  disconnect(node, now);
  if (outage.kind == Outage::Kind::Partition) {
    node.is_reachable = false;
    return;
  }
  node.is_alive = false;
  ++node.pulse;
  end_all(node, now);
  node.kept.clear();
}

void Workers::end_outage(const Outage& outage, TimePoint now) {
  Node& node = nodes_[outage.node];
  if (outage.kind == Outage::Kind::Partition) {
    node.is_reachable = true;
  } else if (!node.is_alive) {
    node.is_alive = true;
    ++node.incarnation;
  }
  if (node.is_alive && node.is_reachable && !node.is_connected) connect_soon(outage.node, now);
}

}  // namespace ontime::simulator
