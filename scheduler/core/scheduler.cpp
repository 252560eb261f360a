// The step, and what attempts report. Nodes are in scheduler_nodes.cpp, jobs in scheduler_jobs.cpp.
#include "scheduler/core/scheduler.h"

#include <utility>

#include "common/base/check.h"
#include "scheduler/core/scheduler_impl.h"

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

// Brings what is derived from the cluster up to date with a fact that was just applied.
void Scheduler::Impl::follow(const Fact& fact, TimePoint at) {
  const auto attempt_changed = [&](AttemptId id) {
    const Attempt* attempt = cluster_.find_attempt(id);
    const bool has_ended = !is_live(attempt->state);
    std::optional<double> slowness;
    if (const auto master = masters_.find(id.task.job); master != masters_.end()) {
      if (has_ended) slowness = master->second.on_attempt_ended(cluster_, id);
      master->second.refresh(cluster_, id.task);
      if (master->second.has_standbys()) changed_.insert(id.task.job);
      if (has_ended || master->second.has_waiting()) wait(id.task.job);
    }
    if (!has_ended) return;
    resources_.refresh(cluster_, attempt->node);
    if (slowness) resources_.observe_slowness(cluster_, attempt->node, id.task, *slowness, at);
    timers_.disarm(checkpoint_of(id));
    timers_.disarm(stall_of(id));
    timers_.disarm(cut_of(id));
  };
  if (const auto* launched = std::get_if<fact::AttemptLaunched>(&fact)) {
    resources_.refresh(cluster_, launched->node);
    masters_.at(launched->attempt.task.job).observe(cluster_, launched->attempt.task);
  } else if (const auto* begun = std::get_if<fact::StandbyBegun>(&fact)) {
    attempt_changed(begun->attempt);
  } else if (const auto* cut = std::get_if<fact::SegmentCut>(&fact)) {
    attempt_changed(cut->attempt);
  } else if (const auto* sealed = std::get_if<fact::SegmentSealed>(&fact)) {
    attempt_changed(sealed->attempt);
  } else if (const auto* ended = std::get_if<fact::AttemptEnded>(&fact)) {
    attempt_changed(ended->attempt);
  } else if (const auto* duty = std::get_if<fact::DutyChanged>(&fact)) {
    resources_.refresh(cluster_, duty->node);
  }
}

StepBuilder Scheduler::Impl::begin(TimePoint now) {
  cluster_.observe_step();
  return StepBuilder{
      cluster_, timers_, now, settings_.cut_timeout, [this, now](const Fact& fact) { follow(fact, now); }, {}, {}};
}

Step Scheduler::Impl::finish(StepBuilder& step) {
  while (const std::optional<Timer> timer = timers_.take_due(step.now)) on_timer(step, *timer);
  settle_standbys(step);
  resources_.end_holds(cluster_, step.now);
  look_at_deadlines(step.now);
  assign_slots(step);
  release_leaving(step);
  forget_nodes(step);
#ifndef NDEBUG
  if (is_small(cluster_)) {
    const std::vector<std::string> broken = violations(cluster_);
    ONTIME_CHECK(broken.empty(), broken.front().c_str());
  }
#endif
  return {std::move(step.records), std::move(step.actions)};
}

Step Scheduler::Impl::start(TimePoint now) {
  StepBuilder step = begin(now);
  step.record(fact::MasterStarted{cluster_.epoch() + 1});
  cluster_.observe_restart(now);
  for (const auto& [id, node] : cluster_.nodes()) timers_.arm(node_silence(id), now + settings_.node_timeout);
  std::vector<JobId> jobs;
  for (const auto& [id, job] : cluster_.jobs()) jobs.push_back(id);
  for (const JobId id : jobs) {
    const Job& job = *cluster_.find_job(id);
    if (is_final(job.state)) history_.add(id, job);
    if (job.state == JobState::Committing) step.act(commit_of(cluster_, id));
    if (job.state != JobState::Running) continue;
    manage(step, id);
    for (const AttemptId attempt : job.live) {
      if (job.spec.checkpoint_interval > Duration::zero()) {
        timers_.arm(checkpoint_of(attempt), now + *job.spec.checkpoint_interval);
      }
      masters_.at(id).watch_progress(step, attempt);
    }
    commit_if_done(step, id);
  }
  forget_oldest(step);
  forget_profiles(step);
  if (!jobs.empty()) next_look_ = now + settings_.node_timeout;  // by then the workers are back, with their slots
  return finish(step);
}

Step Scheduler::Impl::step(const Event& event, TimePoint now) {
  StepBuilder step = begin(now);
  std::visit([&](const auto& what) { on(step, what); }, event);
  return finish(step);
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

void Scheduler::Impl::on(StepBuilder& step, const event::AttemptStarted& event) {
  cluster_.observe_heard(event.node, step.now);
  if (!is_live_on(event.node, event.attempt)) return;
  cluster_.observe_started(event.attempt, step.now - event.age);
  masters_.at(event.attempt.task.job).observe(cluster_, event.attempt.task);
}

void Scheduler::Impl::on(StepBuilder& step, const event::AttemptReady& event) {
  cluster_.observe_heard(event.node, step.now);
  if (!is_live_on(event.node, event.attempt)) return;
  cluster_.observe_ready(event.attempt, step.now);
  masters_.at(event.attempt.task.job).on_ready(step, event.attempt);
}

void Scheduler::Impl::on(StepBuilder& step, const event::CutAnswered& event) {
  cluster_.observe_heard(event.node, step.now);
  if (!is_live_on(event.node, event.attempt)) return;
  ApplicationMaster& master = masters_.at(event.attempt.task.job);
  master.on_cut_answered(step, event);
  if (master.has_waiting()) wait(event.attempt.task.job);  // what is to take over
}

void Scheduler::Impl::on(StepBuilder& step, const event::SegmentSealed& event) {
  cluster_.observe_heard(event.node, step.now);
  if (!is_live_on(event.node, event.attempt)) {
    // A report sent again after a reconnect is no news; anything else comes from an attempt that was given up.
    const Attempt* attempt = cluster_.find_attempt(event.attempt);
    if (attempt == nullptr || attempt->state != AttemptState::Succeeded) {
      step.act(action::KillAttempt{event.node, event.attempt, "it is not live any more"});
    }
    return;
  }
  const Segment* segment = cluster_.find_task(event.attempt.task)->ledger.find(event.range.begin);
  if (segment != nullptr && segment->sealed && segment->attempt == event.attempt.number) return;
  ApplicationMaster& master = masters_.at(event.attempt.task.job);
  const std::vector<NodeId> failed = master.nodes_refuted_by(cluster_, event.attempt.task, event.range.begin);
  if (!master.on_segment_sealed(step, event)) {
    const std::string message = "it sealed what it does not hold";
    step.act(action::KillAttempt{event.node, event.attempt, message});
    return fail_attempt(step, event.attempt, FailureKind::Attempt, message);
  }
  learn_from_seal(step, event.node, failed);
  commit_if_done(step, event.attempt.task.job);
}

void Scheduler::Impl::on(StepBuilder& step, const event::AttemptExited& event) {
  cluster_.observe_heard(event.node, step.now);
  if (!is_live_on(event.node, event.attempt)) return;
  const JobSpec& spec = cluster_.find_job(event.attempt.task.job)->spec;
  const bool is_of_storage = event.kind == FailureKind::Vanished || event.kind == FailureKind::Unreadable;
  const FailureKind kind = is_of_storage && !leaves_out(spec, event.kind) ? FailureKind::Storage : event.kind;
  fail_attempt(step, event.attempt, kind, event.message);
}

// A job that fails takes back what it has said of nodes.
void Scheduler::Impl::fail_attempt(StepBuilder& step, AttemptId id, FailureKind kind, const std::string& message) {
  const JobId job = id.task.job;
  const NodeId node = cluster_.find_attempt(id)->node;
  ApplicationMaster& master = masters_.at(job);
  const bool works_elsewhere = master.works_elsewhere(node);
  const std::string failure = master.on_attempt_failed(step, id, kind, message);
  if (failure.empty() && cluster_.find_task(id.task)->ledger.is_done()) return commit_if_done(step, job);
  if (failure.empty()) {
    if (const auto until = health_.on_failure(node, job, kind, works_elsewhere, step.now)) {
      hold_back(node, *until, message, step.now);
    }
    return;
  }
  end_job(step, job, JobState::Failed, failure);
  for (const NodeId forgiven : health_.forgive(job)) resources_.release_hold(cluster_, forgiven, step.now);
}

void Scheduler::Impl::hold_back(NodeId node, TimePoint until, const std::string& why, TimePoint now) {
  constexpr std::size_t kReasonBytes = 200;
  std::string reason = "attempts fail there: " + why.substr(0, why.find('\n')).substr(0, kReasonBytes);
  resources_.hold(cluster_, node, {HoldCause::Failing, now, until, std::move(reason)});
}

// What failed on other nodes and was sealed here was not at fault.
void Scheduler::Impl::learn_from_seal(StepBuilder& step, NodeId node, const std::vector<NodeId>& failed) {
  if (health_.on_success(node)) resources_.release_hold(cluster_, node, step.now);
  for (const NodeId other : failed) {
    if (other == node) continue;
    if (const auto until = health_.on_done_elsewhere(other, step.now)) {
      hold_back(other, *until, "others have done what failed there", step.now);
    }
  }
}

void Scheduler::Impl::on_stall(StepBuilder& step, AttemptId id) {
  const Attempt* attempt = cluster_.find_live(id);
  if (attempt == nullptr) return;
  const std::string message = masters_.at(id.task.job).on_progress_check(step, id);
  if (message.empty()) return;
  step.act(action::KillAttempt{attempt->node, id, "it made no progress"});
  fail_attempt(step, id, FailureKind::Stalled, message);
}

void Scheduler::Impl::on_timer(StepBuilder& step, const Timer& timer) {
  switch (timer.kind) {
    case TimerKind::NodeSilence:
      return on_silence(step, timer.node);
    case TimerKind::Stall:
      return on_stall(step, timer.attempt);
    case TimerKind::PolicyCheck:
      return plan(step, timer.policy);
    case TimerKind::Deadline:
      return on_deadline(step, timer.attempt.task.job);
    case TimerKind::History:
      return forget_oldest(step);
    case TimerKind::Checkpoint:
    case TimerKind::Cut:
      break;
  }
  const auto master = masters_.find(timer.attempt.task.job);
  if (master == masters_.end()) return;
  if (timer.kind == TimerKind::Checkpoint)
    master->second.on_checkpoint_due(step, timer.attempt);
  else
    master->second.on_cut_timer(step, timer.attempt);
}

Scheduler::Scheduler(Settings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Scheduler::~Scheduler() = default;
void Scheduler::replay(const JournalRecord& record) { impl_->replay(record); }
Step Scheduler::start(TimePoint now) { return impl_->start(now); }
Step Scheduler::step(const Event& event, TimePoint now) { return impl_->step(event, now); }
std::optional<TimePoint> Scheduler::next_wake_up() const { return impl_->next_wake_up(); }
const Cluster& Scheduler::cluster() const { return impl_->cluster(); }
const ResourceManager& Scheduler::resources() const { return impl_->resources(); }
const Settings& Scheduler::settings() const { return impl_->settings(); }
const Outlook* Scheduler::outlook(JobId job) const { return impl_->outlook(job); }
std::vector<Claim> Scheduler::claims() const { return impl_->claims(); }

}  // namespace ontime::scheduler
