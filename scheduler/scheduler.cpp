#include "scheduler/scheduler.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/base/check.h"
#include "scheduler/application_master.h"
#include "scheduler/model/invariants.h"
#include "scheduler/resource_manager.h"
#include "scheduler/timers.h"
#include "scheduler/turn.h"

namespace ontime::scheduler {

#ifndef NDEBUG
namespace {

// The inspection looks at everything, so after every step it is only affordable for few tasks.
bool is_small(const Cluster& cluster) {
  std::size_t tasks = 0;
  for (const auto& [id, job] : cluster.jobs()) tasks += job.tasks.size();
  return tasks <= 500;
}

}  // namespace
#endif

class Scheduler::Impl {
 public:
  explicit Impl(Settings settings) : settings_(std::move(settings)) {}

  void replay(const Record& record) { cluster_.apply(record); }
  Step start(TimePoint now);
  Step step(const Event& event, TimePoint now);
  std::optional<TimePoint> next_wake_up() const { return timers_.next(); }
  const Cluster& cluster() const { return cluster_; }

 private:
  Turn begin(TimePoint now);
  Step finish(Turn& turn);
  void follow(const Fact& fact);

  void on(Turn& turn, const event::NodeRegistered& event);
  void on(Turn& turn, const event::NodeInventory& event);
  void on(Turn& turn, const event::Heartbeat& event);
  void on(Turn& turn, const event::AttemptStarted& event);
  void on(Turn& turn, const event::CutAnswered& event);
  void on(Turn& turn, const event::SegmentSealed& event);
  void on(Turn& turn, const event::AttemptExited& event);
  void on(Turn& turn, const event::JobSubmitted& event);
  void on(Turn& turn, const event::JobKillRequested& event);
  void on(Turn& turn, const event::CommitFinished& event);
  void on(Turn&, const event::TimePassed&) {}

  void on_timer(Turn& turn, const Timer& timer);
  void on_silence(Turn& turn, NodeId node);
  void on_stall(Turn& turn, AttemptId attempt);
  void fail_attempt(Turn& turn, AttemptId attempt, bool fatal, const std::string& message);
  bool is_live_on(NodeId node, AttemptId attempt) const;
  bool is_stale(NodeId node, AttemptId attempt, TimePoint now) const;
  void adopt(Turn& turn, const AttemptProgress& progress);

  void assign_slots(Turn& turn);
  void manage(JobId job);
  void commit_if_done(Turn& turn, JobId job);
  void end_job(Turn& turn, JobId job, JobState state, const std::string& message);
  void forget_oldest(Turn& turn);

  const Settings settings_;
  Cluster cluster_;
  Timers timers_;
  ResourceManager resources_;
  std::map<JobId, ApplicationMaster> masters_;  // of running jobs
  std::set<JobId> waiting_;                     // running jobs that may have something to launch
  std::set<JobId> ended_;
};

// Brings what is derived from the cluster up to date with a fact that was just applied.
void Scheduler::Impl::follow(const Fact& fact) {
  const auto attempt_changed = [this](AttemptId id) {
    if (const auto master = masters_.find(id.task.job); master != masters_.end()) {
      master->second.refresh(cluster_, id.task);
      waiting_.insert(id.task.job);
    }
    const Attempt* attempt = cluster_.find_attempt(id);
    resources_.refresh(cluster_, attempt->node);
    if (!is_live(attempt->state)) {
      timers_.disarm(checkpoint_of(id));
      timers_.disarm(stall_of(id));
    }
  };
  if (const auto* launched = std::get_if<record::AttemptLaunched>(&fact)) {
    resources_.refresh(cluster_, launched->node);
  } else if (const auto* cut = std::get_if<record::SegmentCut>(&fact)) {
    attempt_changed(cut->attempt);
  } else if (const auto* sealed = std::get_if<record::SegmentSealed>(&fact)) {
    attempt_changed(sealed->attempt);
  } else if (const auto* ended = std::get_if<record::AttemptEnded>(&fact)) {
    attempt_changed(ended->attempt);
  }
}

Turn Scheduler::Impl::begin(TimePoint now) {
  return Turn{cluster_, timers_, now, [this](const Fact& fact) { follow(fact); }, {}, {}};
}

Step Scheduler::Impl::finish(Turn& turn) {
  while (const std::optional<Timer> timer = timers_.take_due(turn.now)) on_timer(turn, *timer);
  assign_slots(turn);
#ifndef NDEBUG
  if (is_small(cluster_)) {
    const std::vector<std::string> broken = violations(cluster_);
    ONTIME_CHECK(broken.empty(), broken.front().c_str());
  }
#endif
  return {std::move(turn.records), std::move(turn.actions)};
}

Step Scheduler::Impl::start(TimePoint now) {
  Turn turn = begin(now);
  turn.record(record::MasterStarted{cluster_.epoch() + 1});
  cluster_.observe_restart(now);
  for (const auto& [id, node] : cluster_.nodes()) timers_.arm(node_silence(id), now + settings_.node_timeout);
  std::vector<JobId> jobs;
  for (const auto& [id, job] : cluster_.jobs()) jobs.push_back(id);
  for (const JobId id : jobs) {
    const Job& job = *cluster_.find_job(id);
    if (is_final(job.state)) ended_.insert(id);
    if (job.state == JobState::Committing) turn.act(action::CommitOutput{id});
    if (job.state != JobState::Running) continue;
    manage(id);
    timers_.arm(policy_check(id), now);
    for (const AttemptId attempt : job.live) {
      if (job.spec.checkpoint_interval > Duration::zero()) {
        timers_.arm(checkpoint_of(attempt), now + job.spec.checkpoint_interval);
      }
      if (job.spec.attempt_timeout > Duration::zero()) timers_.arm(stall_of(attempt), now + job.spec.attempt_timeout);
    }
    commit_if_done(turn, id);
  }
  return finish(turn);
}

Step Scheduler::Impl::step(const Event& event, TimePoint now) {
  Turn turn = begin(now);
  std::visit([&](const auto& what) { on(turn, what); }, event);
  return finish(turn);
}

// Nodes ---------------------------------------------------------------------------------------------------------------

void Scheduler::Impl::on(Turn& turn, const event::NodeRegistered& event) {
  NodeId node = cluster_.node_of(event.incarnation);
  if (node == NodeId{}) {
    node = cluster_.next_node();
    turn.record(record::NodeAdded{node, event.incarnation, event.name, event.host, event.slots});
  }
  cluster_.observe_node(node, NodeState::Live, false, turn.now);
  resources_.refresh(cluster_, node);
  timers_.arm(node_silence(node), turn.now + settings_.node_timeout);
}

void Scheduler::Impl::on(Turn& turn, const event::NodeInventory& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr) return;
  std::vector<AttemptId> fenced;
  std::set<AttemptId> gone = node->live;
  for (const AttemptProgress& progress : event.running) {
    if (gone.erase(progress.attempt) != 0)
      adopt(turn, progress);
    else
      fenced.push_back(progress.attempt);
  }
  for (const AttemptId attempt : gone) {
    turn.record(record::AttemptEnded{attempt, AttemptEnd::Lost, "its worker does not run it"});
  }
  cluster_.observe_node(event.node, NodeState::Live, true, turn.now);
  resources_.refresh(cluster_, event.node);
  turn.act(action::WelcomeNode{event.node, std::move(fenced)});
  for (const AttemptId attempt : cluster_.find_node(event.node)->live) {
    // An order to stop early may have been lost with the old connection.
    const Attempt* adopted = cluster_.find_live(attempt);
    const std::uint64_t split_end = cluster_.find_task(attempt.task)->ledger.split().end;
    if (adopted->held.end != split_end) {
      turn.act(action::CutAttempt{event.node, attempt, adopted->held.end, true});
    }
  }
}

void Scheduler::Impl::adopt(Turn& turn, const AttemptProgress& progress) {
  cluster_.observe_adopted(progress.attempt);
  cluster_.observe_cut_pending(progress.attempt, false);
  cluster_.observe_progress(progress, turn.now);
}

void Scheduler::Impl::on(Turn& turn, const event::Heartbeat& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr || node->state == NodeState::Lost) return;
  cluster_.observe_heard(event.node, turn.now);
  for (const AttemptProgress& progress : event.attempts) {
    if (is_live_on(event.node, progress.attempt))
      cluster_.observe_progress(progress, turn.now);
    else if (is_stale(event.node, progress.attempt, turn.now)) {
      turn.act(action::KillAttempt{event.node, progress.attempt, "it is not live any more"});
    }
  }
}

bool Scheduler::Impl::is_live_on(NodeId node, AttemptId id) const {
  const Attempt* attempt = cluster_.find_live(id);
  return attempt != nullptr && attempt->node == node;
}

// A worker may still list an attempt for a moment after it has sealed everything; longer than that it is out of step.
bool Scheduler::Impl::is_stale(NodeId node, AttemptId id, TimePoint now) const {
  const Attempt* attempt = cluster_.find_attempt(id);
  if (attempt == nullptr || attempt->node != node) return true;
  return attempt->state != AttemptState::Succeeded || now > attempt->ended_at + settings_.node_timeout;
}

void Scheduler::Impl::on_silence(Turn& turn, NodeId id) {
  const Node* node = cluster_.find_node(id);
  if (node == nullptr || node->state == NodeState::Lost) return;
  const TimePoint due = node->heard_at + settings_.node_timeout;
  if (turn.now < due) {
    timers_.arm(node_silence(id), due);
    return;
  }
  const std::set<AttemptId> lost = node->live;
  cluster_.observe_node(id, NodeState::Lost, false, turn.now);
  for (const AttemptId attempt : lost) {
    turn.record(record::AttemptEnded{attempt, AttemptEnd::Lost, "its node was silent for too long"});
  }
  resources_.refresh(cluster_, id);
  turn.act(action::DropNode{id});
}

// Attempts ------------------------------------------------------------------------------------------------------------

void Scheduler::Impl::on(Turn& turn, const event::AttemptStarted& event) {
  cluster_.observe_heard(event.node, turn.now);
  if (is_live_on(event.node, event.attempt)) cluster_.observe_started(event.attempt, turn.now);
}

void Scheduler::Impl::on(Turn& turn, const event::CutAnswered& event) {
  cluster_.observe_heard(event.node, turn.now);
  if (!is_live_on(event.node, event.attempt)) return;
  masters_.at(event.attempt.task.job).on_cut_answered(turn, event);
}

void Scheduler::Impl::on(Turn& turn, const event::SegmentSealed& event) {
  cluster_.observe_heard(event.node, turn.now);
  if (!is_live_on(event.node, event.attempt)) {
    // A report sent again after a reconnect is no news; anything else comes from an attempt that was given up.
    const Attempt* attempt = cluster_.find_attempt(event.attempt);
    if (attempt == nullptr || attempt->state != AttemptState::Succeeded) {
      turn.act(action::KillAttempt{event.node, event.attempt, "it is not live any more"});
    }
    return;
  }
  const Segment* segment = cluster_.find_task(event.attempt.task)->ledger.find(event.range.begin);
  if (segment != nullptr && segment->sealed && segment->attempt == event.attempt.number) return;
  ApplicationMaster& master = masters_.at(event.attempt.task.job);
  if (!master.on_segment_sealed(turn, event))
    return master.kill(turn, event.attempt, "it sealed what it does not hold");
  commit_if_done(turn, event.attempt.task.job);
}

void Scheduler::Impl::on(Turn& turn, const event::AttemptExited& event) {
  cluster_.observe_heard(event.node, turn.now);
  if (is_live_on(event.node, event.attempt)) fail_attempt(turn, event.attempt, event.fatal, event.message);
}

void Scheduler::Impl::fail_attempt(Turn& turn, AttemptId id, bool fatal, const std::string& message) {
  const std::string failure = masters_.at(id.task.job).on_attempt_failed(turn, id, fatal, message);
  if (!failure.empty()) end_job(turn, id.task.job, JobState::Failed, failure);
}

void Scheduler::Impl::on_stall(Turn& turn, AttemptId id) {
  const Attempt* attempt = cluster_.find_live(id);
  if (attempt == nullptr) return;
  const Duration limit = cluster_.find_job(id.task.job)->spec.attempt_timeout;
  const TimePoint due = attempt->progressed_at + limit;
  if (turn.now < due) {
    timers_.arm(stall_of(id), due);
    return;
  }
  const NodeId node = attempt->node;
  turn.act(action::KillAttempt{node, id, "it made no progress"});
  fail_attempt(turn, id, false,
               "made no progress for " + std::to_string(static_cast<long long>(seconds(limit))) + " s at offset " +
                   std::to_string(attempt->offset) + " (--attempt-timeout)");
}

void Scheduler::Impl::on_timer(Turn& turn, const Timer& timer) {
  switch (timer.kind) {
    case TimerKind::NodeSilence:
      return on_silence(turn, timer.node);
    case TimerKind::Stall:
      return on_stall(turn, timer.attempt);
    case TimerKind::Checkpoint:
    case TimerKind::PolicyCheck:
      break;
  }
  const auto master = masters_.find(timer.attempt.task.job);
  if (master == masters_.end()) return;
  if (timer.kind == TimerKind::Checkpoint)
    master->second.on_checkpoint_due(turn, timer.attempt);
  else {
    master->second.check(turn, resources_.free_slots());
    waiting_.insert(master->first);
  }
}

// Jobs ----------------------------------------------------------------------------------------------------------------

void Scheduler::Impl::on(Turn& turn, const event::JobSubmitted& event) {
  const JobId job = cluster_.next_job();
  turn.record(record::JobAccepted{job, event.spec});
  const auto tasks = static_cast<std::uint32_t>(cluster_.find_job(job)->tasks.size());
  turn.act(action::AnswerSubmit{event.request, job, tasks});
  manage(job);
  timers_.arm(policy_check(job), turn.now);
  commit_if_done(turn, job);
}

void Scheduler::Impl::manage(JobId job) {
  const JobSpec& spec = cluster_.find_job(job)->spec;
  std::unique_ptr<Policy> policy = settings_.make_policy(spec.policy, spec.policy_parameters);
  // The shell refuses unknown policies; a journal of another version may still name one.
  if (policy == nullptr) policy = make_policy("none", {});
  masters_.emplace(job, ApplicationMaster(job, std::move(policy), cluster_));
  waiting_.insert(job);
}

void Scheduler::Impl::on(Turn& turn, const event::JobKillRequested& event) {
  const Job* job = cluster_.find_job(event.job);
  // What is being committed is past recall: its parts may be in place already.
  if (job != nullptr && job->state == JobState::Running) end_job(turn, event.job, JobState::Killed, event.reason);
}

void Scheduler::Impl::commit_if_done(Turn& turn, JobId id) {
  const Job* job = cluster_.find_job(id);
  if (job->state != JobState::Running || job->tasks_done < job->tasks.size()) return;
  turn.record(record::CommitStarted{id});
  turn.act(action::CommitOutput{id});
  timers_.disarm(policy_check(id));
  masters_.erase(id);
  waiting_.erase(id);
}

void Scheduler::Impl::on(Turn& turn, const event::CommitFinished& event) {
  const Job* job = cluster_.find_job(event.job);
  if (job == nullptr || job->state != JobState::Committing) return;
  const bool ok = event.error.empty();
  end_job(turn, event.job, ok ? JobState::Succeeded : JobState::Failed, event.error);
}

void Scheduler::Impl::end_job(Turn& turn, JobId id, JobState state, const std::string& message) {
  if (const auto master = masters_.find(id); master != masters_.end()) {
    const std::set<AttemptId> live = cluster_.find_job(id)->live;
    for (const AttemptId attempt : live) master->second.kill(turn, attempt, "its job has ended");
    masters_.erase(master);
  }
  waiting_.erase(id);
  timers_.disarm(policy_check(id));
  turn.record(record::JobEnded{id, state, message});
  if (state != JobState::Succeeded) turn.act(action::DiscardOutput{id});
  for (const NodeId node : cluster_.find_job(id)->nodes) turn.act(action::ForgetJob{node, id});
  ended_.insert(id);
  forget_oldest(turn);
}

// The newest job stays, whatever happens: its number is where counting goes on.
void Scheduler::Impl::forget_oldest(Turn& turn) {
  while (ended_.size() > settings_.jobs_kept && *ended_.begin() != cluster_.jobs().rbegin()->first) {
    const JobId oldest = *ended_.begin();
    ended_.erase(oldest);
    turn.record(record::JobForgotten{oldest});
  }
}

// Slots go to the jobs in order of submission until there is no slot or nothing that waits.
void Scheduler::Impl::assign_slots(Turn& turn) {
  for (auto job = waiting_.begin(); job != waiting_.end() && resources_.free_slots() > 0;) {
    ApplicationMaster& master = masters_.at(*job);
    while (resources_.free_slots() > 0 && master.launch_one(turn, resources_)) {
    }
    job = master.has_waiting() ? std::next(job) : waiting_.erase(job);
  }
}

Scheduler::Scheduler(Settings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Scheduler::~Scheduler() = default;
void Scheduler::replay(const Record& record) { impl_->replay(record); }
Step Scheduler::start(TimePoint now) { return impl_->start(now); }
Step Scheduler::step(const Event& event, TimePoint now) { return impl_->step(event, now); }
std::optional<TimePoint> Scheduler::next_wake_up() const { return impl_->next_wake_up(); }
const Cluster& Scheduler::cluster() const { return impl_->cluster(); }

}  // namespace ontime::scheduler
