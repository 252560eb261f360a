#pragma once
// The way to one worker's session: gathers orders and acknowledgements and sends them in one message per turn of the
// control loop. Control thread only; lives as long as somebody holds it, sends nothing once its connection is closed.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "common/base/ids.h"
#include "common/net/connection.h"
#include "common/protocol/control.pb.h"
#include "scheduler/core/action.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

class WorkerLink {
 public:
  explicit WorkerLink(std::shared_ptr<net::Connection> connection) : connection_(std::move(connection)) {}

  void welcome(const wire::ToWorker::Welcome& welcome);

  // The job is set up in this session before its first launch.
  void launch(const scheduler::action::LaunchAttempt& action, std::optional<StartPoint> start);
  void begin(AttemptId attempt, ByteRange range, std::optional<StartPoint> start);
  void cut(AttemptId attempt, std::uint64_t at, bool release);
  void kill(AttemptId attempt, const std::string& reason);
  void forget(JobId job);
  void release();
  // Reports up to this number are durable.
  void acknowledge(std::uint64_t sequence);

  // One more heartbeat was taken, which the next flush answers.
  void take_heartbeat() { ++heartbeats_; }

  // Sends what was gathered. Large set-ups, and what comes behind them, only as far as the connection has room for them;
  // the rest with one of the next flushes, of which there is one for each heartbeat. So they take their time and not the
  // connection.
  void flush();
  void close() { connection_->close(); }
  bool is_open() const { return connection_->is_open(); }

  bool is_gathered = false;  // the dispatcher's: it is to be flushed

 private:
  void set_up(JobId job, const scheduler::JobSpec& spec, std::uint32_t tasks);
  void end_large_message();
  wire::Order* add_order() { return gathered_.mutable_orders()->add_orders(); }

  const std::shared_ptr<net::Connection> connection_;
  std::deque<wire::ToWorker> before_;  // gathered before, and large
  wire::ToWorker gathered_;
  bool is_welcome_ = false;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t acknowledged_sent_ = 0;
  std::uint64_t heartbeats_ = 0;
  std::uint64_t heartbeats_sent_ = 0;
  std::set<JobId> set_up_;  // jobs this session knows
};

}  // namespace ontime::master
