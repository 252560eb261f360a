#include "scheduler/scheduler.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/base/check.h"
#include "scheduler/application_master.h"
#include "scheduler/model/invariants.h"
#include "scheduler/policy_groups.h"
#include "scheduler/resource_manager.h"
#include "scheduler/timers.h"
#include "scheduler/turn.h"
#include "scheduler/waiting_jobs.h"

namespace ontime::scheduler {

namespace {

// A policy that asks to be asked at once, again and again, must not stop the world.
constexpr Duration kCheckPauseMin = std::chrono::milliseconds(1);

}  // namespace

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
  explicit Impl(Settings settings)
      : settings_(std::move(settings)), resources_(settings_.placement), policies_(settings_.make_policy) {}

  void replay(const Record& record) { cluster_.apply(record); }
  Step start(TimePoint now);
  Step step(const Event& event, TimePoint now);
  std::optional<TimePoint> next_wake_up() const { return timers_.next(); }
  const Cluster& cluster() const { return cluster_; }
  const ResourceManager& resources() const { return resources_; }
  const Outlook* outlook(JobId job) const;

 private:
  Turn begin(TimePoint now);
  Step finish(Turn& turn);
  void follow(const Fact& fact, TimePoint at);

  void on(Turn& turn, const event::NodeRegistered& event);
  void on(Turn& turn, const event::NodeInventory& event);
  void on(Turn& turn, const event::Heartbeat& event);
  void on(Turn& turn, const event::AttemptStarted& event);
  void on(Turn& turn, const event::AttemptReady& event);
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
  void on_deadline(Turn& turn, JobId job);
  void fail_attempt(Turn& turn, AttemptId attempt, bool fatal, const std::string& message);
  bool is_live_on(NodeId node, AttemptId attempt) const;
  bool is_stale(NodeId node, AttemptId attempt, TimePoint now) const;
  void adopt(Turn& turn, const AttemptProgress& progress);

  void assign_slots(Turn& turn);
  void plan(Turn& turn, std::uint32_t group);
  void carry_out(Turn& turn, const Decision& decision);
  void manage(Turn& turn, JobId job);
  void let_go(Turn& turn, JobId job);
  void wait(JobId job);
  void commit_if_done(Turn& turn, JobId job);
  void end_job(Turn& turn, JobId job, JobState state, const std::string& message);
  void learn(Turn& turn, JobId job);
  void forget_oldest(Turn& turn);

  const Settings settings_;
  Cluster cluster_;
  Timers timers_;
  ResourceManager resources_;
  std::map<JobId, ApplicationMaster> masters_;  // of running jobs
  PolicyGroups policies_;
  WaitingJobs waiting_;
  std::set<JobId> ended_;
};

// Brings what is derived from the cluster up to date with a fact that was just applied.
void Scheduler::Impl::follow(const Fact& fact, TimePoint at) {
  const auto attempt_changed = [&](AttemptId id) {
    const Attempt* attempt = cluster_.find_attempt(id);
    const bool has_ended = !is_live(attempt->state);
    std::optional<double> slowness;
    if (const auto master = masters_.find(id.task.job); master != masters_.end()) {
      if (has_ended) slowness = master->second.on_attempt_ended(cluster_, id);
      master->second.refresh(cluster_, id.task);
      wait(id.task.job);
    }
    resources_.refresh(cluster_, attempt->node);
    if (slowness) resources_.observe_slowness(cluster_, attempt->node, *slowness, at);
    if (has_ended) {
      timers_.disarm(checkpoint_of(id));
      timers_.disarm(stall_of(id));
      timers_.disarm(cut_of(id));
    }
  };
  if (const auto* launched = std::get_if<record::AttemptLaunched>(&fact)) {
    resources_.refresh(cluster_, launched->node);
    masters_.at(launched->attempt.task.job).observe(cluster_, launched->attempt.task);
  } else if (const auto* begun = std::get_if<record::StandbyBegun>(&fact)) {
    attempt_changed(begun->attempt);
  } else if (const auto* cut = std::get_if<record::SegmentCut>(&fact)) {
    attempt_changed(cut->attempt);
  } else if (const auto* sealed = std::get_if<record::SegmentSealed>(&fact)) {
    attempt_changed(sealed->attempt);
  } else if (const auto* ended = std::get_if<record::AttemptEnded>(&fact)) {
    attempt_changed(ended->attempt);
  }
}

Turn Scheduler::Impl::begin(TimePoint now) {
  return Turn{cluster_, timers_, now, settings_.cut_timeout, [this, now](const Fact& fact) { follow(fact, now); },
              {},       {}};
}

Step Scheduler::Impl::finish(Turn& turn) {
  while (const std::optional<Timer> timer = timers_.take_due(turn.now)) on_timer(turn, *timer);
  for (auto& [id, master] : masters_) master.settle_standbys(turn);
  resources_.end_exclusions(cluster_, turn.now);
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
    manage(turn, id);
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
    if (is_live_on(event.node, progress.attempt)) {
      cluster_.observe_progress(progress, turn.now);
      masters_.at(progress.attempt.task.job).observe(cluster_, progress.attempt.task);
    } else if (is_stale(event.node, progress.attempt, turn.now)) {
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
  if (!is_live_on(event.node, event.attempt)) return;
  cluster_.observe_started(event.attempt, turn.now);
  masters_.at(event.attempt.task.job).observe(cluster_, event.attempt.task);
}

void Scheduler::Impl::on(Turn& turn, const event::AttemptReady& event) {
  cluster_.observe_heard(event.node, turn.now);
  if (!is_live_on(event.node, event.attempt)) return;
  cluster_.observe_ready(event.attempt, turn.now);
  masters_.at(event.attempt.task.job).on_ready(turn, event.attempt);
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
    case TimerKind::PolicyCheck:
      return plan(turn, timer.policy);
    case TimerKind::Deadline:
      return on_deadline(turn, timer.attempt.task.job);
    case TimerKind::Checkpoint:
    case TimerKind::Cut:
      break;
  }
  const auto master = masters_.find(timer.attempt.task.job);
  if (master == masters_.end()) return;
  if (timer.kind == TimerKind::Checkpoint)
    master->second.on_checkpoint_due(turn, timer.attempt);
  else
    master->second.on_cut_overdue(turn, timer.attempt);
}

// Jobs ----------------------------------------------------------------------------------------------------------------

void Scheduler::Impl::on(Turn& turn, const event::JobSubmitted& event) {
  const JobId job = cluster_.next_job();
  turn.record(record::JobAccepted{job, event.spec});
  const auto tasks = static_cast<std::uint32_t>(cluster_.find_job(job)->tasks.size());
  turn.act(action::AnswerSubmit{event.request, job, tasks});
  manage(turn, job);
  commit_if_done(turn, job);
}

void Scheduler::Impl::manage(Turn& turn, JobId id) {
  const Job& job = *cluster_.find_job(id);
  masters_.try_emplace(id, id, cluster_);
  timers_.arm(policy_check(policies_.join(id, job.spec)), turn.now);
  if (job.spec.kill_on_miss && job.spec.deadline > Duration::zero()) {
    timers_.arm(deadline_of(id), job.submitted_at + job.spec.deadline);
  }
  wait(id);
}

// The job runs no longer.
void Scheduler::Impl::let_go(Turn& turn, JobId id) {
  const auto group = policies_.leave(id);
  if (group) turn.timers.disarm(policy_check(*group));
  timers_.disarm(deadline_of(id));
  waiting_.erase(id);
  masters_.erase(id);
}

void Scheduler::Impl::wait(JobId id) { waiting_.insert(id, rank_of(*cluster_.find_job(id), policies_.of(id).order())); }

void Scheduler::Impl::on_deadline(Turn& turn, JobId id) {
  const Job* job = cluster_.find_job(id);
  if (job != nullptr && job->state == JobState::Running) {
    end_job(turn, id, JobState::Killed, "it missed its deadline (--on-miss kill)");
  }
}

const Outlook* Scheduler::Impl::outlook(JobId job) const {
  const auto master = masters_.find(job);
  return master == masters_.end() ? nullptr : &master->second.outlook();
}

// Policies ------------------------------------------------------------------------------------------------------------

void Scheduler::Impl::plan(Turn& turn, std::uint32_t number) {
  PolicyGroup* group = policies_.find(number);
  if (group == nullptr) return;
  std::vector<JobView> jobs;
  for (const JobId id : group->jobs) {
    const ApplicationMaster& master = masters_.at(id);
    jobs.push_back({id, cluster_.find_job(id), &master.outlook(), master.pending()});
  }
  std::uint32_t waiting = 0;
  for (const auto& [rank, id] : waiting_.in_order()) waiting += masters_.at(id).waiting();
  const Plan plan = group->policy->plan({cluster_, resources_, jobs, turn.now, waiting});
  for (const Decision& decision : plan.decisions) carry_out(turn, decision);
  if (plan.next_check) timers_.arm(policy_check(number), std::max(*plan.next_check, turn.now + kCheckPauseMin));
}

void Scheduler::Impl::carry_out(Turn& turn, const Decision& decision) {
  const auto for_master = [&](JobId id, const auto& what) {
    const auto master = masters_.find(id);
    if (master == masters_.end()) return;
    master->second.carry_out(turn, what);
    wait(id);
  };
  if (const auto* speculate = std::get_if<Speculate>(&decision)) for_master(speculate->task.job, *speculate);
  if (const auto* divide = std::get_if<Divide>(&decision)) for_master(divide->task.job, *divide);
  if (const auto* clone = std::get_if<CloneTasks>(&decision)) for_master(clone->job, *clone);
  if (const auto* end = std::get_if<EndAttempt>(&decision)) for_master(end->attempt.task.job, *end);
  if (const auto* decline = std::get_if<Decline>(&decision)) {
    if (cluster_.find_task(decline->task) != nullptr) {
      cluster_.observe_declined(decline->task, decline->reason, turn.now);
    }
  }
  if (const auto* text = std::get_if<Note>(&decision)) {
    DecisionNote note;
    note.text = text->text;
    turn.record(record::PolicyDecided{text->job, std::move(note)});
  }
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
  learn(turn, id);
  let_go(turn, id);
}

// What the job's attempts have shown is kept for later jobs of the same application.
void Scheduler::Impl::learn(Turn& turn, JobId id) {
  const JobSpec& spec = cluster_.find_job(id)->spec;
  const estimate::DurationSample& seen = masters_.at(id).outlook().sample();
  if (seen.finished().empty()) return;
  estimate::DurationSample sample;
  if (const estimate::DurationSample* known = cluster_.find_profile(spec)) sample = *known;
  sample.add(seen);
  turn.record(record::ProfileUpdated{Cluster::profile_key(spec), std::move(sample)});
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
    let_go(turn, id);
  }
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

// Slots go to the jobs in order of their rank until there is no slot or nothing that waits.
void Scheduler::Impl::assign_slots(Turn& turn) {
  for (auto entry = waiting_.in_order().begin(); entry != waiting_.in_order().end() && resources_.free_slots() > 0;) {
    const JobId job = (entry++)->second;
    ApplicationMaster& master = masters_.at(job);
    while (resources_.free_slots() > 0 && master.launch_one(turn, resources_)) {
    }
    if (!master.has_waiting()) waiting_.erase(job);
  }
}

Scheduler::Scheduler(Settings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Scheduler::~Scheduler() = default;
void Scheduler::replay(const Record& record) { impl_->replay(record); }
Step Scheduler::start(TimePoint now) { return impl_->start(now); }
Step Scheduler::step(const Event& event, TimePoint now) { return impl_->step(event, now); }
std::optional<TimePoint> Scheduler::next_wake_up() const { return impl_->next_wake_up(); }
const Cluster& Scheduler::cluster() const { return impl_->cluster(); }
const ResourceManager& Scheduler::resources() const { return impl_->resources(); }
const Outlook* Scheduler::outlook(JobId job) const { return impl_->outlook(job); }

}  // namespace ontime::scheduler
