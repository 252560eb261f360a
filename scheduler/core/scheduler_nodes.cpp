// Nodes: how they register, fall silent, drain and leave.
#include <set>
#include <utility>

#include "scheduler/core/scheduler_impl.h"

namespace ontime::scheduler {

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
    masters_.at(attempt.task.job).repeat_orders(turn, attempt);
  }
  if (drains(node->duty)) hand_over(turn, event.node);
}

void Scheduler::Impl::adopt(Turn& turn, const AttemptProgress& progress) {
  cluster_.observe_progress(progress, turn.now);
  cluster_.observe_adopted(progress.attempt);
}

void Scheduler::Impl::on(Turn& turn, const event::Heartbeat& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr || node->state == NodeState::Lost) return;
  cluster_.observe_heard(event.node, turn.now);
  cluster_.prefetch(event.attempts);
  for (const AttemptProgress& progress : event.attempts) {
    if (is_live_on(event.node, progress.attempt)) {
      cluster_.observe_progress(progress, turn.now);
      masters_.at(progress.attempt.task.job).observe(cluster_, progress.attempt.task);
    } else if (is_stale(event.node, progress.attempt, turn.now)) {
      turn.act(action::KillAttempt{event.node, progress.attempt, "it is not live any more"});
    }
  }
}

void Scheduler::Impl::on_silence(Turn& turn, NodeId id) {
  const Node* node = cluster_.find_node(id);
  if (node == nullptr || node->state == NodeState::Lost || node->duty == Duty::Left) return;
  const TimePoint due = node->heard_at + settings_.node_timeout;
  if (turn.now < due) {
    timers_.arm(node_silence(id), due);
    return;
  }
  cluster_.observe_node(id, NodeState::Lost, false, turn.now);
  lose_node(turn, id);
  if (node->duty == Duty::Leaves && node->live.empty()) turn.record(record::DutyChanged{id, Duty::Left});
  resources_.refresh(cluster_, id);
  turn.act(action::DropNode{id});
}

// Whether an attempt took the node down is judged when all of them are off it.
void Scheduler::Impl::lose_node(Turn& turn, NodeId id) {
  health_.forget(id);
  const std::set<AttemptId> lost = cluster_.find_node(id)->live;  // job by job
  for (auto& [job, master] : masters_) {
    const auto first = lost.lower_bound(AttemptId{{job, 0}, 0});
    if (first == lost.end() || first->task.job != job) master.count_node_lost_elsewhere();
  }
  lose_attempts(turn, id, "its node was silent for too long");
  for (const AttemptId attempt : lost) {
    const auto master = masters_.find(attempt.task.job);
    if (master == masters_.end()) continue;  // its job has ended with another of them
    const std::string failure = master->second.on_node_lost(turn, resources_, attempt);
    if (!failure.empty()) end_job(turn, attempt.task.job, JobState::Failed, failure);
  }
}

void Scheduler::Impl::lose_attempts(Turn& turn, NodeId id, const char* why) {
  const std::set<AttemptId> lost = cluster_.find_node(id)->live;
  for (const AttemptId attempt : lost) {
    turn.record(record::AttemptEnded{attempt, AttemptEnd::Lost, why});
  }
}

// Of what is gone only the latest is remembered: a worker that is started again and again is a new node each time.
void Scheduler::Impl::forget_nodes(Turn& turn) {
  while (const std::optional<NodeId> node = cluster_.surplus_node(settings_.history.gone_nodes)) {
    timers_.disarm(node_silence(*node));
    leaving_.erase(*node);
    turn.record(record::NodeForgotten{*node});
    resources_.refresh(cluster_, *node);
  }
}

// Draining ------------------------------------------------------------------------------------------------------------

void Scheduler::Impl::on(Turn& turn, const event::DrainRequested& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr || node->duty != (event.drain ? Duty::Serves : Duty::Drains)) return;
  turn.record(record::DutyChanged{event.node, event.drain ? Duty::Drains : Duty::Serves});
  if (event.drain) hand_over(turn, event.node);
}

void Scheduler::Impl::on(Turn& turn, const event::NodeLeaving& event) {
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr) return;
  cluster_.observe_heard(event.node, turn.now);
  leaving_.insert(event.node);
  if (node->duty == Duty::Left) return;
  if (node->duty != Duty::Leaves) turn.record(record::DutyChanged{event.node, Duty::Leaves});
  if (event.at_once)
    lose_attempts(turn, event.node, "its worker had to end before it could hand over");
  else
    hand_over(turn, event.node);
}

// Before the inventory nobody knows what the node runs; then it is asked again.
void Scheduler::Impl::hand_over(Turn& turn, NodeId id) {
  const Node* node = cluster_.find_node(id);
  if (!node->synchronised) return;
  const std::set<AttemptId> live = node->live;
  for (const AttemptId attempt : live) masters_.at(attempt.task.job).hand_over(turn, attempt);
}

// A worker that is not connected waits for its release until it is.
void Scheduler::Impl::release_leaving(Turn& turn) {
  std::erase_if(leaving_, [&](NodeId id) {
    const Node* node = cluster_.find_node(id);
    if (node->state != NodeState::Live || !node->synchronised) return false;
    if (!node->live.empty()) return false;
    if (node->duty != Duty::Left) turn.record(record::DutyChanged{id, Duty::Left});
    cluster_.observe_node(id, NodeState::Silent, false, turn.now);
    turn.act(action::ReleaseNode{id});
    return true;
  });
}

}  // namespace ontime::scheduler
