// Nodes: how they register, fall silent, drain and leave.

#include "scheduler/core/scheduler_impl.h"

namespace ontime::scheduler {

void Scheduler::Impl::on(StepBuilder& step, const event::NodeRegistered& event) {
  NodeId node = cluster_.node_of(event.incarnation);
  if (node == NodeId{}) {
    node = cluster_.next_node();
    step.record(fact::NodeAdded{node, event.incarnation, event.name, event.host, event.slots});
  }
  cluster_.observe_announced(node, event.leaves_in, step.now);
  cluster_.observe_node(node, NodeState::Live, false, step.now);
  resources_.refresh(cluster_, node);
  timers_.arm(node_silence(node), step.now + settings_.node_timeout);
}

void Scheduler::Impl::on(StepBuilder& step, const event::NodeInventory& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr) return;
  std::vector<AttemptId> fenced;
  std::set<AttemptId> gone = node->live;
  for (const AttemptProgress& progress : event.running) {
    if (gone.erase(progress.attempt) != 0) {
      cluster_.observe_adopted(progress, step.now);
      masters_.at(progress.attempt.task.job).observe(cluster_, progress.attempt.task);
    } else {
      fenced.push_back(progress.attempt);
    }
  }
  for (const AttemptId attempt : gone) {
    step.record(fact::AttemptEnded{attempt, AttemptEnd::Lost, "its worker does not run it"});
  }
  cluster_.observe_node(event.node, NodeState::Live, true, step.now);
  resources_.refresh(cluster_, event.node);
  step.act(action::WelcomeNode{event.node, std::move(fenced)});
  for (const AttemptId attempt : cluster_.find_node(event.node)->live) {
    masters_.at(attempt.task.job).repeat_orders(step, attempt);
  }
  if (drains(node->duty)) hand_over(step, event.node);
}

void Scheduler::Impl::on(StepBuilder& step, const event::Heartbeat& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr || node->state == NodeState::Lost) return;
  cluster_.observe_heard(event.node, step.now);
  cluster_.prefetch(event.attempts);
  for (const AttemptProgress& progress : event.attempts) {
    if (is_live_on(event.node, progress.attempt)) {
      cluster_.observe_progress(progress, step.now);
      masters_.at(progress.attempt.task.job).observe(cluster_, progress.attempt.task);
    } else if (is_stale(event.node, progress.attempt, step.now)) {
      step.act(action::KillAttempt{event.node, progress.attempt, "it is not live any more"});
    }
  }
}

void Scheduler::Impl::on_silence(StepBuilder& step, NodeId id) {
  const Node* node = cluster_.find_node(id);
  if (node == nullptr || node->state == NodeState::Lost || node->duty == Duty::Left) return;
  const TimePoint due = node->heard_at + settings_.node_timeout;
  if (step.now < due) {
    timers_.arm(node_silence(id), due);
    return;
  }
  cluster_.observe_node(id, NodeState::Lost, false, step.now);
  lose_node(step, id);
  if (node->duty == Duty::Leaves && node->live.empty()) step.record(fact::DutyChanged{id, Duty::Left});
  resources_.refresh(cluster_, id);
  step.act(action::DropNode{id});
}

// Whether an attempt took the node down is judged when all of them are off it.
void Scheduler::Impl::lose_node(StepBuilder& step, NodeId id) {
  health_.forget(id);
  const std::set<AttemptId> lost = cluster_.find_node(id)->live;  // job by job
  for (auto& [job, master] : masters_) {
    const auto first = lost.lower_bound(AttemptId{{job, 0}, 0});
    if (first == lost.end() || first->task.job != job) master.count_node_lost_elsewhere();
  }
  lose_attempts(step, id, "its node was silent for too long");
  for (const AttemptId attempt : lost) {
    const auto master = masters_.find(attempt.task.job);
    if (master == masters_.end()) continue;  // its job has ended with another of them
    const std::string failure = master->second.on_node_lost(step, resources_, attempt);
    if (!failure.empty()) end_job(step, attempt.task.job, JobState::Failed, failure);
  }
}

void Scheduler::Impl::lose_attempts(StepBuilder& step, NodeId id, const char* why) {
  const std::set<AttemptId> lost = cluster_.find_node(id)->live;
  for (const AttemptId attempt : lost) {
    step.record(fact::AttemptEnded{attempt, AttemptEnd::Lost, why});
  }
}

// Forgets all but the latest nodes that are gone: a worker that is started again and again is a new node each time.
void Scheduler::Impl::forget_nodes(StepBuilder& step) {
  while (const std::optional<NodeId> node = cluster_.surplus_node(settings_.history.gone_nodes)) {
    timers_.disarm(node_silence(*node));
    leaving_.erase(*node);
    step.record(fact::NodeForgotten{*node});
    resources_.refresh(cluster_, *node);
  }
}

// Draining ------------------------------------------------------------------------------------------------------------

void Scheduler::Impl::on(StepBuilder& step, const event::DrainRequested& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr || node->duty != (event.drain ? Duty::Serves : Duty::Drains)) return;
  step.record(fact::DutyChanged{event.node, event.drain ? Duty::Drains : Duty::Serves});
  if (event.drain) hand_over(step, event.node);
}

void Scheduler::Impl::on(StepBuilder& step, const event::NodeLeaving& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr) return;
  cluster_.observe_heard(event.node, step.now);
  leaving_.insert(event.node);
  if (node->duty == Duty::Left) return;
  if (node->duty != Duty::Leaves) step.record(fact::DutyChanged{event.node, Duty::Leaves});
  if (event.at_once)
    lose_attempts(step, event.node, "its worker had to end before it could hand over");
  else
    hand_over(step, event.node);
}

// Before the inventory nobody knows what the node runs; then it is asked again.
void Scheduler::Impl::hand_over(StepBuilder& step, NodeId id) {
  const Node* node = cluster_.find_node(id);
  if (!node->synchronised) return;
  const std::set<AttemptId> live = node->live;
  for (const AttemptId attempt : live) masters_.at(attempt.task.job).hand_over(step, attempt);
}

// A worker that is not connected waits for its release until it is.
void Scheduler::Impl::release_leaving(StepBuilder& step) {
  std::erase_if(leaving_, [&](NodeId id) {
    const Node* node = cluster_.find_node(id);
    if (node->state != NodeState::Live || !node->synchronised) return false;
    if (!node->live.empty()) return false;
    if (node->duty != Duty::Left) step.record(fact::DutyChanged{id, Duty::Left});
    cluster_.observe_node(id, NodeState::Silent, false, step.now);
    step.act(action::ReleaseNode{id});
    return true;
  });
}

}  // namespace ontime::scheduler
