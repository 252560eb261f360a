#pragma once
// Carries the scheduler's actions out: orders to the workers' sessions, commits to the output committer, answers to the
// submissions. Control thread only.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/time.h"
#include "master/action_performer.h"
#include "master/worker_link.h"

namespace ontime::master {

class ActionDispatcher : public ActionPerformer {
 public:
  // Where actions lead that are not for a worker.
  struct Outlets {
    std::function<void(const scheduler::action::CommitOutput&)> commit_output;
    std::function<void(const scheduler::action::DiscardOutput&)> discard_output;
    std::function<void(const scheduler::action::AnswerSubmit&)> answer_submit;
    std::function<void(const scheduler::JournalRecord&)> observe;
    // Where in its file an attempt on what lies at `begin` may start to read, if not at a point that its job knows.
    std::function<std::optional<StartPoint>(AttemptId attempt, std::uint64_t begin)> find_start;
  };

  // `welcome` carries what every worker receives.
  ActionDispatcher(wire::ToWorker::Welcome welcome, Outlets outlets);

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
  void observe(const scheduler::JournalRecord& record) override { outlets_.observe(record); }

 private:
  void on(const scheduler::action::LaunchAttempt& action);
  void on(const scheduler::action::BeginAttempt& action);
  void on(const scheduler::action::CutAttempt& action);
  void on(const scheduler::action::KillAttempt& action);
  void on(const scheduler::action::WelcomeNode& action);
  void on(const scheduler::action::DropNode& action);
  void on(const scheduler::action::ReleaseNode& action);
  void on(const scheduler::action::CommitOutput& action) { outlets_.commit_output(action); }
  void on(const scheduler::action::DiscardOutput& action) { outlets_.discard_output(action); }
  void on(const scheduler::action::ForgetJob& action);
  void on(const scheduler::action::AnswerSubmit& action) { outlets_.answer_submit(action); }
  void gather(const std::shared_ptr<WorkerLink>& link);
  WorkerLink* link_to(NodeId node);  // null: not attached; the order is dropped

  const wire::ToWorker::Welcome welcome_;
  const Outlets outlets_;
  std::map<NodeId, std::shared_ptr<WorkerLink>> announced_;
  std::map<NodeId, std::shared_ptr<WorkerLink>> attached_;
  std::vector<std::shared_ptr<WorkerLink>> gathered_;  // have something to flush, in the order in which they got it
};

}  // namespace ontime::master
