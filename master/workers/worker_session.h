#pragma once
// One worker's connection after the handshake: checks and translates what it says into events. Whatever no sane worker
// sends closes the connection and is counted, unless it can be held against one attempt (reports.h). Control thread
// only; ends when the connection does.

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <string_view>

#include "common/base/result.h"
#include "common/net/connection.h"
#include "common/protocol/control.pb.h"
#include "master/actions/action_dispatcher.h"
#include "master/base/attempt_messages.h"
#include "master/base/machine_uses.h"
#include "master/base/measures.h"
#include "master/inputs/index_store.h"
#include "master/loop/control_loop.h"
#include "master/outputs/attempt_logs.h"
#include "master/workers/reports.h"

namespace ontime::master {

class WorkerSession {
 public:
  // What is kept of what attempts tell, though nothing depends on it.
  struct Kept {
    AttemptLogs& logs;
    IndexStore& indexes;
    MachineUses& machine_uses;
    AttemptMessages& messages;
  };
  WorkerSession(std::shared_ptr<net::Connection> connection, ControlLoop& control, ActionDispatcher& dispatcher,
                Kept kept, SessionCounters& counters);

  asio::awaitable<void> run();

 private:
  // Closes the connection unless the registration arrives soon.
  void limit_wait();
  Status on_frame(std::string_view payload);
  Status on_register(const wire::ToMaster::Register& message);
  Status on_heartbeat(const wire::ToMaster::Heartbeat& message);
  void note_statuses(const wire::ToMaster::Heartbeat& message);
  void measure_lag();
  void on_logs(const wire::ToMaster::Logs& message);
  void on_notes(const wire::ToMaster::Notes& message);
  void drop_index(const wire::Report& report);
  Status on_reports(const ReportMessages& reports);
  // Steps them in their order and acknowledges them once what they caused is durable. REQUIRES: check_reports.
  void take_reports(const ReportMessages& reports);
  scheduler::Event event_or_failure(const wire::Report& report) const;

  const std::shared_ptr<net::Connection> connection_;
  const std::shared_ptr<WorkerLink> link_;
  ControlLoop& control_;
  ActionDispatcher& dispatcher_;
  const Kept kept_;
  SessionCounters& counters_;
  asio::steady_timer registration_limit_;
  NodeId node_;                 // 0 until it has registered
  TimePoint last_heartbeat_{};  // of this connection
};

}  // namespace ontime::master
