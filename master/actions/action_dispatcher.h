#pragma once
// Carries the scheduler's actions out: orders to the workers' sessions, commits to the output committer, answers to the
// submissions. Control thread only.

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/net/connection.h"
#include "common/protocol/control.pb.h"
#include "master/actions/action_performer.h"
#include "master/actions/application_link.h"
#include "master/actions/submit_answers.h"
#include "master/inputs/index_store.h"
#include "master/outputs/attempt_logs.h"
#include "master/outputs/output_committer.h"
#include "scheduler/core/action.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

// Asks where in its file an attempt of the job on what lies at `begin` may start to read, if not at a point that its
// job knows. Calls `then` later, on any thread. False: it does not, there is no such place.
using FindStart = std::function<bool(JobId job, std::shared_ptr<const scheduler::InputFile> file, std::uint64_t begin,
                                     std::function<void(std::optional<StartPoint>)> then)>;

// The way to one worker's session: gathers orders and acknowledgements and sends them in one message per turn of the
// control loop. Control thread only; lives as long as somebody holds it, sends nothing once its connection is closed.
class WorkerLink : public std::enable_shared_from_this<WorkerLink> {
 public:
  explicit WorkerLink(std::shared_ptr<net::Connection> connection, Duration start_wait_max = std::chrono::seconds(1))
      : connection_(std::move(connection)), start_wait_max_(start_wait_max) {}

  void welcome(const wire::ToWorker::Welcome& welcome);

  // The job is set up in this session before its first launch. An order waits for the place to start at, and all orders
  // behind it do, but for no longer than `start_wait_max`: an attempt can do without.
  void order(const scheduler::action::LaunchAttempt& action, const FindStart& find_start);
  void order(const scheduler::action::BeginAttempt& action, const FindStart& find_start);
  void order(const scheduler::action::CutAttempt& action);
  void order(const scheduler::action::KillAttempt& action);
  void order(const scheduler::action::ForgetJob& action);
  void order(const scheduler::action::ReleaseNode& action);
  // Reports up to this number are durable.
  void acknowledge(std::uint64_t sequence);

  // One more heartbeat was taken, which the next flush answers.
  void take_heartbeat() { ++heartbeats_; }

  // Sends what was gathered. Large set-ups, and what comes behind them, only as far as the connection has room for
  // them; the rest as soon as it has. So they take their time and not the connection.
  void flush();
  void close() { connection_->close(); }
  bool is_open() const { return connection_->is_open(); }

  bool is_gathered = false;  // the dispatcher's: it is to be flushed

 private:
  template <class Action>
  void await_start(const Action& action, const FindStart& find_start);
  void start_at(std::uint64_t number, std::optional<StartPoint> start);
  void set_up(JobId job, const scheduler::JobSpec& spec, std::uint32_t tasks);
  void end_large_message();
  void send(wire::ToWorker& message);
  void wait_for_room();
  static asio::awaitable<void> flush_when_written(std::shared_ptr<WorkerLink> self);
  wire::Order* add_order() { return gathered_.mutable_orders()->add_orders(); }

  struct Gathered {
    wire::ToWorker message;
    std::uint64_t held = 0;  // number of the place that its last order waits for; 0: it waits for none
    std::unique_ptr<asio::steady_timer> patience;
  };

  const std::shared_ptr<net::Connection> connection_;
  const Duration start_wait_max_;
  std::deque<Gathered> before_;  // gathered before; large, or held
  std::uint64_t last_held_ = 0;
  wire::ToWorker gathered_;
  bool is_welcome_ = false;
  bool waits_for_room_ = false;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t acknowledged_sent_ = 0;
  std::uint64_t heartbeats_ = 0;
  std::uint64_t heartbeats_sent_ = 0;
  std::set<JobId> set_up_;  // jobs this session knows
};

class ActionDispatcher : public ActionPerformer {
 public:
  // Where actions lead that are not for a worker, and what orders have to say besides. No functions, behind which
  // anything could be (tests/architecture/check_includes.py).
  struct Parts {
    OutputCommitter& committer;
    const AttemptLogs& logs;
    SubmitAnswers& answers;
    IndexStore& indexes;
    ApplicationLinks* applications = nullptr;  // that stand in the place of workers; null: none do
  };

  // `welcome` carries what every worker receives. All parts outlive it; none is used before the first action.
  ActionDispatcher(wire::ToWorker::Welcome welcome, Parts parts);

  Duration heartbeat_interval() const { return Duration(welcome_.heartbeat_interval_ns()); }

  // A new session of the node: an older one is closed at once.
  void announce(NodeId node, const std::shared_ptr<WorkerLink>& link);
  // From here on, in the order of effects, actions for the node go to this session; defer it to just before the
  // node's inventory is stepped. Launches decided before that are not sent: the inventory has told the scheduler that
  // they never arrived.
  void attach(NodeId node, const std::shared_ptr<WorkerLink>& link);
  // To be sent with the next flush.
  void acknowledge(const std::shared_ptr<WorkerLink>& link, std::uint64_t sequence);
  // The session is over.
  void release(NodeId node, const std::shared_ptr<WorkerLink>& link);

  void perform(const scheduler::Action& action) override;
  void flush() override;
  void observe(const scheduler::JournalRecord& record) override;

 private:
  void on(const scheduler::action::LaunchAttempt& action) { order_to_read(action); }
  void on(const scheduler::action::BeginAttempt& action) { order_to_read(action); }
  void on(const scheduler::action::WelcomeNode& action);
  void on(const scheduler::action::DropNode& action);
  void on(const scheduler::action::CommitOutput& action);
  void on(const scheduler::action::DiscardOutput& action);
  void on(const scheduler::action::AnswerSubmit& action) { parts_.answers.on(action); }
  template <class Action>
  void on(const Action& action) {
    if (WorkerLink* link = link_to(action.node)) link->order(action);
  }
  template <class Action>
  void order_to_read(const Action& action) {
    if (WorkerLink* link = link_to(action.node)) link->order(action, find_start_);
  }
  void gather(const std::shared_ptr<WorkerLink>& link);
  WorkerLink* link_to(NodeId node);  // null: not attached; the order is dropped

  const wire::ToWorker::Welcome welcome_;
  const Parts parts_;
  const FindStart find_start_;
  std::map<NodeId, std::shared_ptr<WorkerLink>> announced_;
  std::map<NodeId, std::shared_ptr<WorkerLink>> attached_;
  std::vector<std::shared_ptr<WorkerLink>> gathered_;  // have something to flush, in the order in which they got it
};

}  // namespace ontime::master
