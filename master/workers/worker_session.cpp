#include "master/workers/worker_session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/log/fields.h"
#include "common/protocol/convert.h"
#include "common/protocol/machine_use.h"
#include "master/base/settings.h"

namespace ontime::master {

WorkerSession::WorkerSession(std::shared_ptr<net::Connection> connection, ControlLoop& control,
                             ActionDispatcher& dispatcher, Kept kept, SessionCounters& counters)
    : connection_(std::move(connection)),
      link_(std::make_shared<WorkerLink>(connection_)),
      control_(control),
      dispatcher_(dispatcher),
      kept_(kept),
      counters_(counters),
      registration_limit_(connection_->executor(), kHandshakeMax) {}

void WorkerSession::limit_wait() {
  registration_limit_.async_wait([connection = connection_, &counters = counters_](const asio::error_code& error) {
    if (error) return;
    ++counters.refused;
    spdlog::warn("connection_refused peer={} reason={}", connection->peer(),
                 log::Quoted{"it says that it is a worker and does not register"});
    connection->close();
  });
}

asio::awaitable<void> WorkerSession::run() {
  limit_wait();
  for (;;) {
    const Result<std::string_view> payload = co_await connection_->receive();
    if (!payload) {
      spdlog::debug("worker_disconnected {} peer={} reason={}", node_, connection_->peer(),
                    log::Quoted{payload.error().message});
      break;
    }
    if (Status status = on_frame(*payload); !status) {
      ++counters_.malformed;
      spdlog::warn("worker_malformed {} peer={} reason={}", node_, connection_->peer(),
                   log::Quoted{status.error().message});
      break;
    }
    if (control_.is_congested()) co_await control_.durable();
  }
  connection_->close();
  kept_.machine_uses.erase(node_);
  dispatcher_.release(node_, link_);
}

Status WorkerSession::on_frame(std::string_view payload) {
  wire::ToMaster message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return failed("not a message");
  if (message.what_case() == wire::ToMaster::kRegister) {
    if (node_.value != 0) return failed("a second registration");
    return on_register(message.register_());
  }
  if (node_.value == 0) return failed("a message before the registration");
  switch (message.what_case()) {
    case wire::ToMaster::kHeartbeat:
      return on_heartbeat(message.heartbeat());
    case wire::ToMaster::kReports:
      return on_reports(message.reports().reports());
    case wire::ToMaster::kLeave:
      control_.step(scheduler::event::NodeLeaving{node_, message.leave().at_once()});
      return {};
    case wire::ToMaster::kLogs:
      on_logs(message.logs());
      return {};
    case wire::ToMaster::kNotes:
      on_notes(message.notes());
      return {};
    default:
      if (!payload.empty()) return {};  // a newer worker informs of something that is not known here
      return failed("a message that says nothing");
  }
}

// All is checked before the first step: a registration that is refused is no sign of life.
Status WorkerSession::on_register(const wire::ToMaster::Register& message) {
  const Result<scheduler::event::NodeRegistered> registration = registration_of(message);
  if (!registration) return registration.error();
  Result<std::vector<scheduler::AttemptProgress>> running = progress_of(message.running());
  if (!running) return running.error();
  if (Status possible = check_reports(message.unacknowledged()); !possible) return possible;
  if (registration_limit_.cancel() == 0) return failed("a registration that comes too late");
  control_.step(*registration);
  node_ = control_.cluster().node_of(registration->incarnation);
  if (node_.value == 0) return failed("a registration that the scheduler does not accept");
  spdlog::info("node_registered {} name={} slots={} running={} peer={}", node_, log::Quoted{registration->name},
               registration->slots, running->size(), connection_->peer());
  dispatcher_.announce(node_, link_);
  if (message.has_leave()) control_.step(scheduler::event::NodeLeaving{node_, message.leave().at_once()});
  take_reports(message.unacknowledged());
  control_.defer([&dispatcher = dispatcher_, node = node_, link = link_] { dispatcher.attach(node, link); });
  control_.step(scheduler::event::NodeInventory{node_, std::move(*running)});
  return {};
}

Status WorkerSession::on_heartbeat(const wire::ToMaster::Heartbeat& message) {
  Result<std::vector<scheduler::AttemptProgress>> progress = progress_of(message.attempts());
  if (!progress) return progress.error();
  measure_lag();
  if (const auto use = protocol::machine_use(message.machine())) kept_.machine_uses.insert_or_assign(node_, *use);
  note_statuses(message);
  control_.step(scheduler::event::Heartbeat{node_, std::move(*progress)});
  link_->take_heartbeat();
  link_->flush();  // whatever becomes of it: the worker shall know that it is heard
  return {};
}

// Of attempts that live on this node, as in on_logs().
void WorkerSession::note_statuses(const wire::ToMaster::Heartbeat& message) {
  for (const wire::AttemptProgress& progress : message.attempts()) {
    if (progress.status().empty()) continue;
    const AttemptId id = protocol::attempt_id(progress.attempt());
    const scheduler::Attempt* attempt = control_.cluster().find_live(id);
    if (attempt != nullptr && attempt->node == node_) kept_.messages.note_status(id, progress.status());
  }
}

void WorkerSession::measure_lag() {
  const TimePoint before = std::exchange(last_heartbeat_, control_.now());
  if (before == TimePoint()) return;
  control_.measure_heartbeat(last_heartbeat_ - before - dispatcher_.heartbeat_interval());
}

namespace {

IndexStore::File input_of(const scheduler::Cluster& cluster, TaskId task) {
  return {cluster.find_job(task.job)->shared_spec, cluster.find_input(task)};
}

}  // namespace

// Of attempts that were launched on this node; one that was fenced since has still written what it has.
void WorkerSession::on_logs(const wire::ToMaster::Logs& message) {
  for (const wire::AttemptLog& log : message.logs()) {
    const AttemptId id = protocol::attempt_id(log.attempt());
    const scheduler::Attempt* attempt = control_.cluster().find_attempt(id);
    if (attempt == nullptr || attempt->node != node_) continue;
    kept_.logs.append(id, control_.cluster().find_node(node_)->name, log.begin(), log.text());
  }
}

// The same.
void WorkerSession::on_notes(const wire::ToMaster::Notes& message) {
  for (const wire::InputNote& note : message.notes()) {
    const AttemptId id = protocol::attempt_id(note.attempt());
    const scheduler::Attempt* attempt = control_.cluster().find_attempt(id);
    if (attempt == nullptr || attempt->node != node_) continue;
    IndexStore::File file = input_of(control_.cluster(), id.task);
    if (note.content_bytes() > 0)
      kept_.indexes.add_end(id.task.job, std::move(file), note.content_bytes());
    else
      kept_.indexes.add(id.task.job, std::move(file), protocol::start_point(note.point()));
  }
}

// What an attempt cannot read by its index is to be found out anew.
void WorkerSession::drop_index(const wire::Report& report) {
  if (report.ended().failure() != wire::BAD_RECORD) return;
  const AttemptId id = protocol::attempt_id(report.attempt());
  if (control_.cluster().find_attempt(id) != nullptr) kept_.indexes.drop(input_of(control_.cluster(), id.task));
}

Status WorkerSession::on_reports(const ReportMessages& reports) {
  if (Status possible = check_reports(reports); !possible) return possible;
  take_reports(reports);
  return {};
}

void WorkerSession::take_reports(const ReportMessages& reports) {
  std::uint64_t last = 0;
  for (const wire::Report& report : reports) {
    drop_index(report);
    control_.step(event_or_failure(report));
    last = std::max(last, report.sequence());
  }
  if (last == 0) return;
  control_.defer([&dispatcher = dispatcher_, link = link_, last] { dispatcher.acknowledge(link, last); });
}

scheduler::Event WorkerSession::event_or_failure(const wire::Report& report) const {
  Result<scheduler::Event> event = event_of(node_, report);
  if (event) return std::move(*event);
  spdlog::warn("report_malformed {} {} reason={}", node_, protocol::attempt_id(report.attempt()),
               log::Quoted{event.error().message});
  return failure_of(node_, report, event.error());
}

}  // namespace ontime::master
