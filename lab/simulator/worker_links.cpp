// How the simulated workers are connected to the master: registration, heartbeats, reports, what outages do to them.
#include <algorithm>

#include "lab/simulator/workers.h"

namespace ontime::lab {

namespace event = scheduler::event;

std::optional<scheduler::Event> Workers::registration(const Upcoming& due) {
  Node& node = nodes_[due.subject];
  if (node.connection != due.generation || !node.is_alive || !node.is_reachable) return std::nullopt;
  node.is_connected = true;
  return event::NodeRegistered{node.name + "." + std::to_string(node.incarnation), node.name, node.name, node.slots,
                               leaves_in(due.subject, due.at)};
}

std::vector<scheduler::Event> Workers::after_registration(std::uint32_t index, NodeId id, TimePoint now) {
  Node& node = nodes_[index];
  node.id = id;
  if (index_of_.size() < id.value) index_of_.resize(id.value);
  index_of_[id.value - 1] = index;
  std::vector<scheduler::Event> events;
  const TimePoint acknowledged_at =
      wire_.is_steady() ? now + 2 * wire_.delay() : arrival(index, Direction::ToNode, now).value_or(TimePoint::max());
  for (Kept& kept : node.kept) {
    kept.acknowledged_at = acknowledged_at;
    events.push_back(kept.what);
  }
  events.emplace_back(event::NodeInventory{id, progress(node, now)});
  expect_beat(index, now);
  return events;
}

std::optional<scheduler::Event> Workers::arrived(std::uint32_t slot, TimePoint now) {
  Report report = reports_.take(slot);
  const Node& node = nodes_[report.node];
  if (!node.is_connected || node.connection != report.connection) return std::nullopt;
  if (report.number != 0 && !wire_.is_steady()) acknowledge(report.node, report.number, now);
  return std::move(report.what);
}

void Workers::report(std::uint32_t index, scheduler::Event what, TimePoint now) {
  Node& node = nodes_[index];
  if (keeps_reports_) {
    while (!node.kept.empty() && node.kept.front().acknowledged_at <= now) node.kept.pop_front();
    const bool is_certain = node.is_connected && wire_.is_steady();
    node.kept.push_back({++node.reports, is_certain ? now + 2 * wire_.delay() : TimePoint::max(), what});
  }
  if (!node.is_connected) return;
  const auto arrives = arrival(index, Direction::ToMaster, now);
  if (arrives) deliver(*arrives, Due::Report, reports_.put({index, node.connection, node.reports, std::move(what)}));
}

// Messages ------------------------------------------------------------------------------------------------------------

std::optional<TimePoint> Workers::arrival(std::uint32_t index, Direction direction, TimePoint now) {
  if (wire_.is_steady()) return now + wire_.delay();
  const Passage passage = wire_.send(index, direction, now);
  if (passage.breaks) queue_.push(*passage.breaks, Due::Break, index, nodes_[index].connection);
  return passage.arrives;
}

// Those that all take alike long need no heap.
void Workers::deliver(TimePoint at, Due due, std::uint32_t slot) {
  if (wire_.is_steady())
    queue_.push(Lane::Message, at, due, slot);
  else
    queue_.push(at, due, slot);
}

// The master's answer to a report, a message like any other, is for all before it too.
void Workers::acknowledge(std::uint32_t index, std::uint64_t number, TimePoint now) {
  const auto arrives = arrival(index, Direction::ToNode, now);
  if (!arrives) return;
  for (Kept& kept : nodes_[index].kept) {
    if (kept.number > number) break;
    kept.acknowledged_at = std::min(kept.acknowledged_at, *arrives);
  }
}

// Both ends notice it at once.
void Workers::give_up(const Upcoming& due) {
  Node& node = nodes_[due.subject];
  if (node.connection != due.generation || !node.is_alive || !node.is_reachable) return;
  disconnect(node, due.at);
  connect_soon(due.subject, due.at);
}

// Heartbeats ----------------------------------------------------------------------------------------------------------

std::vector<scheduler::AttemptProgress> Workers::progress(const Node& node, TimePoint now) const {
  std::vector<scheduler::AttemptProgress> all;
  all.reserve(node.attempts.size());
  for (const std::uint32_t slot : node.attempts) {
    const Attempt& attempt = attempts_[slot];
    const Motion& motion = attempt.motion;
    all.push_back({attempt.id, motion.offset(now), motion.records(now), 0, motion.times(now)});
  }
  return all;
}

void Workers::beat(std::uint32_t index, TimePoint now) {
  Node& node = nodes_[index];
  if (node.is_connected) {
    const auto arrives = arrival(index, Direction::ToMaster, now);
    event::Heartbeat heartbeat{node.id, progress(node, now)};
    if (arrives) deliver(*arrives, Due::Report, reports_.put({index, node.connection, 0, std::move(heartbeat)}));
  }
  expect_beat(index, now);
}

// A node without attempts has nothing to say but that it lives, so it says so less often.
void Workers::expect_beat(std::uint32_t index, TimePoint now) {
  Node& node = nodes_[index];
  const Duration grown = from_seconds(scenario_.heartbeat_growth * seconds(now - node.launched_at));
  node.beats_slowly = node.attempts.empty() || grown > beat_every_;
  if (node.attempts.empty())
    queue_.push(Lane::IdleBeat, now + idle_beat_every_, Due::Heartbeat, index, ++node.pulse);
  else if (node.beats_slowly)
    queue_.push(now + grown, Due::Heartbeat, index, ++node.pulse);
  else
    queue_.push(Lane::Beat, now + beat_every_, Due::Heartbeat, index, ++node.pulse);
}

// Outages -------------------------------------------------------------------------------------------------------------

void Workers::disconnect(Node& node, TimePoint now) {
  node.is_connected = false;
  ++node.connection;
  while (!node.kept.empty() && node.kept.front().acknowledged_at <= now) node.kept.pop_front();
  for (Kept& kept : node.kept) kept.acknowledged_at = TimePoint::max();
}

void Workers::connect_soon(std::uint32_t index, TimePoint now) {
  wire_.connect(index);
  const auto arrives = arrival(index, Direction::ToMaster, now + from_seconds(scenario_.reconnect));
  if (arrives) queue_.push(*arrives, Due::Registration, index, nodes_[index].connection);
}

void Workers::drop(NodeId id, TimePoint now) {
  const std::uint32_t index = index_of_[id.value - 1];
  Node& node = nodes_[index];
  if (node.id != id || !node.is_connected) return;
  disconnect(node, now);
  connect_soon(index, now);
}

TimePoint leaves_at(const Outage& limit) { return TimePoint(from_seconds(std::max(0.0, limit.at - limit.lead))); }

// Until the next of its time limits. 0: it has none.
Duration Workers::leaves_in(std::uint32_t index, TimePoint now) const {
  TimePoint first = TimePoint::max();
  for (const Outage& outage : scenario_.outages) {
    const bool is_its_own = outage.kind == Outage::Kind::TimeLimit && outage.node == index;
    if (is_its_own && leaves_at(outage) > now) first = std::min(first, leaves_at(outage));
  }
  return first < TimePoint::max() ? first - now : Duration(0);
}

// Its process goes on until the limit: nothing is live there any more once the master releases it.
void Workers::leave(std::uint32_t index, TimePoint now) {
  const Node& node = nodes_[index];
  if (node.is_alive && node.id != NodeId{}) report(index, event::NodeLeaving{node.id}, now);
}

void Workers::set_disk(const Outage& outage, bool is_broken) {
  Node& node = nodes_[outage.node];
  (outage.kind == Outage::Kind::DiskFull ? node.is_disk_full : node.does_disk_fail) = is_broken;
}

void Workers::begin_outage(const Outage& outage, TimePoint now) {
  Node& node = nodes_[outage.node];
  if (outage.kind == Outage::Kind::DiskFull || outage.kind == Outage::Kind::DiskFails) return set_disk(outage, true);
  disconnect(node, now);
  if (outage.kind == Outage::Kind::Partition) {
    node.is_reachable = false;
    return;
  }
  node.is_alive = false;
  node.disk_free_at = now;
  ++node.pulse;
  end_all(node, now);
  node.kept.clear();
}

void Workers::end_outage(const Outage& outage, TimePoint now) {
  Node& node = nodes_[outage.node];
  if (outage.kind == Outage::Kind::DiskFull || outage.kind == Outage::Kind::DiskFails) return set_disk(outage, false);
  if (outage.kind == Outage::Kind::Partition) {
    node.is_reachable = true;
  } else if (!node.is_alive) {
    node.is_alive = true;
    ++node.incarnation;
  }
  if (node.is_alive && node.is_reachable && !node.is_connected) connect_soon(outage.node, now);
}

}  // namespace ontime::lab
