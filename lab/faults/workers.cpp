// How the workers are connected, and what happens to them. Their attempts are in attempts.cpp.
#include "lab/faults/workers.h"

#include <algorithm>
#include <utility>

#include "lab/faults/audit.h"

namespace ontime::lab::faults {

namespace action = scheduler::action;
namespace event = scheduler::event;

namespace {

constexpr double kPauseMin = 0.05;  // seconds
constexpr double kPauseMax = 1;

}  // namespace

Workers::Workers(World& world)
    : world_(world), nodes_(world.plan.slots.size()), random_(world.plan.seed, Purpose::Faults, 2) {
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) connect_later(node);
}

void Workers::on(const Upcoming& due) {
  const bool is_of_node = due.due == Due::Connect || due.due == Due::Heartbeat || due.due == Due::LeaveOver;
  if (!is_of_node && due.due != Due::GivesUp) return on_attempt(due);
  const std::uint32_t index = due.due == Due::GivesUp ? world_.network[due.subject].node : due.subject;
  Node& node = nodes_[index];
  if (!node.is_alive) return;
  if (is_stopped(node)) return world_.agenda.put(node.stopped_until, due.due, due.subject, due.generation);
  if (due.due == Due::GivesUp) {
    if (node.connection == due.subject && !node.is_welcome) close(index);
  } else if (due.due == Due::LeaveOver) {
    if (node.incarnation == due.generation) end_patience(index);
  } else if (node.pulse == due.generation) {
    if (due.due == Due::Connect)
      connect(index);
    else
      beat(index);
  }
}

// Connections ---------------------------------------------------------------------------------------------------------

void Workers::connect_later(std::uint32_t index) {
  Node& node = nodes_[index];
  node.pause = std::clamp(2 * node.pause, kPauseMin, kPauseMax);
  const Duration pause = from_seconds(node.pause * (0.5 + random_.uniform() / 2));
  world_.agenda.put(world_.now + pause, Due::Connect, index, ++node.pulse);
}

void Workers::connect(std::uint32_t index) {
  Node& node = nodes_[index];
  const World::Reach& cut_off = world_.cut_off[index];
  if (!world_.master_listens || cut_off.to_master > world_.now || cut_off.to_worker > world_.now) {
    return connect_later(index);
  }
  const ConnectionId connection = world_.network.connect(index, world_.master_life);
  node.connection = connection;
  node.is_welcome = false;
  const std::string name = "node-" + std::to_string(index);
  Registration registration{
      {incarnation(index), name, name, world_.plan.slots[index]}, {}, progress(node), node.leaves};
  registration.unacknowledged.assign(node.kept.begin(), node.kept.end());
  node.sent_report = node.last_report;
  world_.network.send(connection, std::move(registration), world_.now);
  world_.agenda.put(world_.now + from_seconds(world_.plan.reply_timeout), Due::GivesUp, connection);
}

void Workers::lose_connection(std::uint32_t index) {
  Node& node = nodes_[index];
  if (!node.connection) return;
  world_.network[*node.connection].is_open_at_worker = false;
  node.connection.reset();
  node.is_welcome = false;
  if (!node.is_alive) return;
  if (node.leaves && (node.leaves_at_once || !has_to_wait(node))) return end_process(index);
  connect_later(index);
}

void Workers::close(std::uint32_t index) {
  if (nodes_[index].connection) world_.network.send(*nodes_[index].connection, MessageToMaster(Closed{}), world_.now);
  lose_connection(index);
}

void Workers::break_connection(std::uint32_t node) { close(node); }

void Workers::on_message(ConnectionId connection, MessageToWorker message) {
  const std::uint32_t index = world_.network[connection].node;
  if (std::holds_alternative<Closed>(message)) return lose_connection(index);
  if (const auto* welcomed = std::get_if<Welcome>(&message)) return welcome(index, *welcomed);
  if (!nodes_[index].is_welcome) return close(index);
  obey(index, std::get<Orders>(message));
}

void Workers::welcome(std::uint32_t index, const Welcome& welcome) {
  Node& node = nodes_[index];
  for (const AttemptId fenced : welcome.fenced) {
    if (Attempt* attempt = find(index, fenced)) kill(*attempt);
  }
  node.is_welcome = true;
  node.pause = 0;
  world_.agenda.put(world_.now + from_seconds(world_.plan.heartbeat), Due::Heartbeat, index, ++node.pulse);
  send_reports(index);
}

void Workers::obey(std::uint32_t index, const Orders& orders) {
  Node& node = nodes_[index];
  while (!node.kept.empty() && node.kept.front().sequence <= orders.acknowledged) node.kept.pop_front();
  for (const Order& order : orders.orders) {
    if (!obey(index, order)) return close(index);
    if (!node.is_alive) return;  // it was released
  }
}

// False if it cannot be obeyed: the worker breaks off the connection.
bool Workers::obey(std::uint32_t index, const Order& order) {
  if (const auto* launched = std::get_if<action::LaunchAttempt>(&order.what)) {
    return launch(index, *launched, order.directory);
  }
  if (const auto* begun = std::get_if<action::BeginAttempt>(&order.what)) {
    Attempt* attempt = find(index, begun->attempt);
    return attempt == nullptr || begin(*attempt, begun->range);
  }
  if (const auto* asked = std::get_if<action::CutAttempt>(&order.what)) {
    if (Attempt* attempt = find(index, asked->attempt)) {
      attempt->cuts.push_back(*asked);
      expect_cut(*attempt);
    }
  } else if (const auto* killed = std::get_if<action::KillAttempt>(&order.what)) {
    if (Attempt* attempt = find(index, killed->attempt)) kill(*attempt);
  } else if (std::holds_alternative<action::ReleaseNode>(order.what)) {
    world_.audit.require(nodes_[index].leaves, "only a worker that leaves is released");
    end_process(index);  // whatever it still runs has sealed all that it was to seal
  }
  return true;
}

void Workers::beat(std::uint32_t index) {
  Node& node = nodes_[index];
  if (!node.connection) return;
  world_.network.send(*node.connection, MessageToMaster(Beat{progress(node)}), world_.now);
  world_.agenda.put(world_.now + from_seconds(world_.plan.heartbeat), Due::Heartbeat, index, node.pulse);
}

void Workers::report(std::uint32_t index, scheduler::Event what) {
  Node& node = nodes_[index];
  node.kept.push_back({++node.last_report, std::move(what)});
  send_reports(index);
}

void Workers::send_reports(std::uint32_t index) {
  Node& node = nodes_[index];
  if (!node.is_welcome || is_stopped(node) || node.sent_report == node.last_report) return;
  Reports unsent;
  for (const Report& kept : node.kept) {
    if (kept.sequence > node.sent_report) unsent.reports.push_back(kept);
  }
  node.sent_report = node.last_report;
  world_.network.send(*node.connection, MessageToMaster(std::move(unsent)), world_.now);
}

std::vector<scheduler::AttemptProgress> Workers::progress(const Node& node) const {
  std::vector<scheduler::AttemptProgress> all;
  for (const std::uint32_t slot : node.attempts) {
    const Attempt& attempt = attempts_[slot];
    all.push_back(
        {.attempt = attempt.id, .offset = attempt.motion.offset(world_.now), .records = 0, .output_bytes = 0});
  }
  return all;
}

// What happens to them ------------------------------------------------------------------------------------------------

void Workers::die(std::uint32_t index) {
  Node& node = nodes_[index];
  if (!node.is_alive) return;
  node.is_alive = false;
  close(index);
  while (!node.attempts.empty()) {
    Attempt& attempt = attempts_[node.attempts.back()];
    if (attempt.phase == Phase::Mapping) {
      OutputFile& file = world_.store.file(attempt.file);
      file.records.resize(file.synced);  // its machine died
    }
    end(attempt);
  }
  forget_all(node);
}

void Workers::forget_all(Node& node) {
  node.kept.clear();
  node.last_report = node.sent_report = 0;
  node.stopped_until = {};
  node.do_attempts_stop = node.leaves = node.leaves_at_once = false;
  ++node.pulse;
}

std::string Workers::incarnation(std::uint32_t node) const {
  return "node-" + std::to_string(node) + "." + std::to_string(nodes_[node].incarnation);
}

// As worker/agent/departure.h has it.
void Workers::leave(std::uint32_t index, Duration patience) {
  Node& node = nodes_[index];
  if (!node.is_alive || node.leaves) return;
  node.leaves = true;
  if (!node.connection && !has_to_wait(node)) return end_process(index);
  if (node.is_welcome) world_.network.send(*node.connection, MessageToMaster(Leave{}), world_.now);
  world_.agenda.put(world_.now + patience, Due::LeaveOver, index, node.incarnation);
}

void Workers::end_patience(std::uint32_t index) {
  Node& node = nodes_[index];
  if (node.leaves_at_once || !node.is_welcome) return end_process(index);
  node.leaves_at_once = true;
  world_.network.send(*node.connection, MessageToMaster(Leave{true}), world_.now);
  world_.agenda.put(world_.now + std::chrono::milliseconds(500), Due::LeaveOver, index, node.incarnation);
}

void Workers::end_leaving(std::uint32_t node) {
  if (nodes_[node].leaves) end_process(node);
}

// Its attempts end with it; what they wrote is in their files.
void Workers::end_process(std::uint32_t index) {
  Node& node = nodes_[index];
  node.is_alive = false;
  close(index);
  while (!node.attempts.empty()) kill(attempts_[node.attempts.back()]);
  forget_all(node);
}

void Workers::come_back(std::uint32_t index) {
  Node& node = nodes_[index];
  if (node.is_alive) return;
  node.is_alive = true;
  ++node.incarnation;
  node.pause = 0;
  connect_later(index);
}

void Workers::stop(std::uint32_t index, bool attempts_too, TimePoint until) {
  Node& node = nodes_[index];
  if (!node.is_alive) return;
  node.stopped_until = std::max(node.stopped_until, until);
  node.do_attempts_stop = node.do_attempts_stop || attempts_too;
  if (!node.do_attempts_stop) return;
  for (const std::uint32_t slot : node.attempts) {
    attempts_[slot].motion.set_speed(0, world_.now);
    ++attempts_[slot].border;
  }
}

void Workers::go_on(std::uint32_t index) {
  Node& node = nodes_[index];
  if (!node.is_alive || is_stopped(node)) return;
  if (std::exchange(node.do_attempts_stop, false)) {
    for (const std::uint32_t slot : node.attempts) {
      Attempt& attempt = attempts_[slot];
      if (attempt.phase != Phase::Mapping || attempt.is_stopped) continue;
      attempt.motion.set_speed(attempt.speed, world_.now);
      expect_border(attempt);
    }
  }
  send_reports(index);
}

Workers::Attempt* Workers::chosen(std::uint32_t index, double luck) {
  const Node& node = nodes_[index];
  if (node.attempts.empty()) return nullptr;
  const auto place = static_cast<std::size_t>(luck * static_cast<double>(node.attempts.size()));
  return &attempts_[node.attempts[std::min(place, node.attempts.size() - 1)]];
}

void Workers::kill_an_attempt(std::uint32_t index, double luck, bool is_fatal) {
  using scheduler::FailureKind;
  Attempt* attempt = chosen(index, luck);
  if (attempt != nullptr) exit(*attempt, "killed by a signal", is_fatal ? FailureKind::Data : FailureKind::Attempt);
}

void Workers::stop_an_attempt(std::uint32_t index, double luck) {
  Attempt* attempt = chosen(index, luck);
  if (attempt == nullptr) return;
  attempt->is_stopped = true;
  attempt->motion.set_speed(0, world_.now);
  ++attempt->border;
}

void Workers::hang_mount(std::uint32_t index, TimePoint until) {
  nodes_[index].hangs_until = std::max(nodes_[index].hangs_until, until);
}

}  // namespace ontime::lab::faults
