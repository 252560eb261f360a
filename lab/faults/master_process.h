#pragma once
// The master's process around the real scheduler: sessions with workers, group commit to the journal, actions once they
// are durable, commits, and a clock. It is what master/ is (control_loop, worker_session, action_dispatcher,
// output_committer), without threads and sockets, and can die between any two of its doings.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "scheduler/core/scheduler.h"
#include "lab/faults/audit.h"
#include "lab/faults/commit_run.h"
#include "lab/faults/journal_image.h"
#include "lab/faults/master_clock.h"
#include "lab/faults/world.h"

namespace ontime::lab::faults {

class MasterProcess {
 public:
  explicit MasterProcess(World& world);

  // Reads the journal and begins. False if the journal cannot be read.
  void start();
  // `share` of the batch under way has reached the disk. Silent: no connection is closed in an orderly way.
  void die(double share, bool is_silent);
  bool is_up() const { return scheduler_ != nullptr; }

  void on(const Upcoming& due);
  void on_message(ConnectionId connection, MessageToMaster message);
  void submit(std::uint32_t submission, std::uint32_t directory);
  void request_kill(JobId job);
  // An operator takes the node out or back. False: not known to be durable yet, ask again.
  bool request_drain(const std::string& incarnation, bool drain);
  // When it wants to be woken, in true time.
  std::optional<TimePoint> wake_up() const;
  void wake();
  void jump_clock(Duration ahead);
  void set_journal_full(bool is_full, double share);

  // Everything has been written and done.
  bool is_settled() const { return open_.empty() && !is_writing_; }
  std::uint32_t batches() const { return journal_.batches(); }
  std::uint64_t steps() const { return steps_; }
  // The job of a submission that was answered.
  std::optional<JobId> job_of(std::uint32_t submission) const;
  bool knows_only_ended_jobs() const;

 private:
  struct Session {
    NodeId node;
    bool is_welcome = false;
    std::uint64_t acknowledged = 0;
    std::uint64_t acknowledged_sent = 0;
    Orders gathered;
  };
  struct Acknowledge {
    ConnectionId connection;
    std::uint64_t sequence;
  };
  struct Attach {
    NodeId node;
    ConnectionId connection;
  };
  using Effect = std::variant<scheduler::Action, Acknowledge, Attach>;
  struct Batch {
    std::vector<scheduler::JournalRecord> records;
    std::vector<Effect> effects;
    bool empty() const { return records.empty() && effects.empty(); }
  };
  struct Work {
    std::uint32_t directory = 0;
    std::optional<CommitRun> commit;  // nothing: discard the output
  };

  void recover();
  void discard_left_output();

  void step(const scheduler::Event& event);
  void gather(scheduler::Step step, const scheduler::Event* cause);
  void end_turn();
  void hand_over();
  void on_written();
  void perform(const Batch& batch);
  void arm_timer();

  void on_registration(ConnectionId connection, const Registration& registration);
  void on_reports(ConnectionId connection, const std::vector<Report>& reports);
  void close(ConnectionId connection);
  void release(ConnectionId connection);

  Session* link_to(NodeId node);
  void flush();
  // To the node of the action, if it is connected.
  template <class What>
  void order(const What& action, std::uint32_t directory = 0) {
    Session* link = link_to(action.node);
    if (link == nullptr) return;
    Order& order = link->gathered.orders.emplace_back();
    order.what.template emplace<What>(action);
    order.directory = directory;
  }
  void perform(const Effect& effect);
  void on(const scheduler::action::LaunchAttempt& action);
  void on(const scheduler::action::BeginAttempt& action);
  void on(const scheduler::action::CutAttempt& action);
  void on(const scheduler::action::KillAttempt& action);
  void on(const scheduler::action::WelcomeNode& action);
  void on(const scheduler::action::DropNode& action);
  void on(const scheduler::action::ReleaseNode& action);
  void on(const scheduler::action::CommitOutput& action);
  void on(const scheduler::action::DiscardOutput& action);
  void on(const scheduler::action::ForgetJob& action);
  void on(const scheduler::action::AnswerSubmit& action);

  void enqueue(JobId job, Work work);
  void expect_commit_step(JobId job);
  void on_commit_step(JobId job);

  World& world_;
  Random random_;
  JournalImage journal_;
  bool is_journal_full_ = false;
  double full_share_ = 0;
  std::uint32_t life_ = 0;
  std::uint32_t commit_steps_ = 0;
  std::uint64_t steps_ = 0;
  std::map<std::uint32_t, JobId> answered_;  // what clients know, by submission

  // Of one life.
  std::map<std::uint32_t, std::string> outputs_;  // asked for by clients, by submission
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  MasterClock clock_;
  Batch open_;
  Batch writing_;
  bool is_writing_ = false;
  bool has_failed_to_write_ = false;
  std::optional<TimePoint> armed_for_;  // the master's time
  TimePoint wakes_at_;                  // true time
  std::map<ConnectionId, Session> sessions_;
  std::map<NodeId, ConnectionId> announced_;
  std::map<NodeId, ConnectionId> attached_;
  std::map<JobId, std::deque<Work>> commits_;
};

}  // namespace ontime::lab::faults
