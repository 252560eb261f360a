#include "scheduler/application_master.h"

#include <algorithm>

#include "common/base/check.h"

namespace ontime::scheduler {

ApplicationMaster::ApplicationMaster(JobId job, std::unique_ptr<Policy> policy, const Cluster& cluster)
    : job_(job), policy_(std::move(policy)) {
  const std::vector<Task>& tasks = cluster.find_job(job)->tasks;
  task_count_ = next_fresh_ = static_cast<std::uint32_t>(tasks.size());
  while (next_fresh_ > 0 && tasks[next_fresh_ - 1].attempts.empty()) --next_fresh_;
  for (std::uint32_t index = 0; index < next_fresh_; ++index) refresh(cluster, task_id(index));
}

bool ApplicationMaster::has_waiting() const { return !copies_.empty() || !again_.empty() || next_fresh_ < task_count_; }

void ApplicationMaster::refresh(const Cluster& cluster, TaskId id) {
  if (id.index >= next_fresh_) return;
  for (const Segment& segment : cluster.find_task(id)->ledger.segments()) {
    const Place place{id.index, segment.range.begin};
    if (segment.sealed || !cluster.racing(id, segment.range.begin).empty())
      again_.erase(place);
    else
      again_.insert(place);
  }
}

bool ApplicationMaster::launch_one(Turn& turn, const ResourceManager& nodes) {
  return launch_copy(turn, nodes) || launch_again(turn, nodes) || launch_first(turn, nodes);
}

// Speculative attempts first: they are what the deadline hangs on.
bool ApplicationMaster::launch_copy(Turn& turn, const ResourceManager& nodes) {
  while (!copies_.empty()) {
    const Place place = copies_.front().place;
    const Segment* segment = turn.cluster.find_task(task_id(place.first))->ledger.find(place.second);
    if (copies_.front().count == 0 || segment == nullptr || segment->sealed) {
      copies_.pop_front();
      continue;
    }
    // Another node than those that work on it, if one has a slot.
    std::optional<NodeId> node = nodes.choose(nodes_that_hold(turn.cluster, place));
    if (!node) node = nodes.choose({});
    if (!node) return false;
    --copies_.front().count;
    launch(turn, *node, place, true);
    return true;
  }
  return false;
}

// A segment goes to another node than those where it failed, and waits for one as long as there is one.
bool ApplicationMaster::launch_again(Turn& turn, const ResourceManager& nodes) {
  for (const Place& place : again_) {
    const std::vector<NodeId> failed = nodes_that_failed(turn.cluster, place);
    std::optional<NodeId> node = nodes.choose(failed);
    if (!node && nodes.covers_all_usable(failed)) node = nodes.choose({});
    if (!node) continue;
    launch(turn, *node, place, false);
    return true;
  }
  return false;
}

bool ApplicationMaster::launch_first(Turn& turn, const ResourceManager& nodes) {
  if (next_fresh_ >= task_count_) return false;
  const std::optional<NodeId> node = nodes.choose({});
  if (!node) return false;
  const std::uint32_t index = next_fresh_++;
  launch(turn, *node, {index, turn.cluster.find_task(task_id(index))->ledger.split().begin}, false);
  return true;
}

void ApplicationMaster::launch(Turn& turn, NodeId node, Place place, bool speculative) {
  const TaskId id = task_id(place.first);
  const Task* task = turn.cluster.find_task(id);
  const AttemptId attempt{id, static_cast<std::uint32_t>(task->attempts.size())};
  const ByteRange range = task->ledger.find(place.second)->range;
  again_.erase(place);
  turn.record(record::AttemptLaunched{attempt, node, range, speculative});
  turn.act(action::LaunchAttempt{node, attempt, range});
  const JobSpec& spec = turn.cluster.find_job(job_)->spec;
  if (spec.checkpoint_interval > Duration::zero()) {
    turn.timers.arm(checkpoint_of(attempt), turn.now + spec.checkpoint_interval);
  }
  if (spec.attempt_timeout > Duration::zero()) turn.timers.arm(stall_of(attempt), turn.now + spec.attempt_timeout);
}

std::vector<NodeId> ApplicationMaster::nodes_that_failed(const Cluster& cluster, Place place) const {
  std::vector<NodeId> nodes;
  const Task* task = cluster.find_task(task_id(place.first));
  if (task->ledger.find(place.second)->failures == 0) return nodes;
  for (const Attempt& attempt : task->attempts) {
    if (attempt.state == AttemptState::Failed && attempt.held.begin == place.second) nodes.push_back(attempt.node);
  }
  return nodes;
}

std::vector<NodeId> ApplicationMaster::nodes_that_hold(const Cluster& cluster, Place place) const {
  std::vector<NodeId> nodes;
  for (const AttemptId id : cluster.racing(task_id(place.first), place.second)) {
    nodes.push_back(cluster.find_attempt(id)->node);
  }
  return nodes;
}

void ApplicationMaster::check(Turn& turn, std::uint32_t free_slots) {
  const Plan plan = policy_->plan(turn.cluster, job_, free_slots, turn.now);
  for (const Decision& decision : plan.decisions) {
    if (const auto* speculate = std::get_if<Speculate>(&decision)) carry_out(turn, *speculate);
    if (const auto* end = std::get_if<EndAttempt>(&decision)) kill(turn, end->attempt, end->reason);
  }
  if (plan.next_check) turn.timers.arm(policy_check(job_), *plan.next_check);
}

void ApplicationMaster::carry_out(Turn& turn, const Speculate& decision) {
  const Task* task = turn.cluster.find_task(decision.task);
  const Segment* segment = task != nullptr ? task->ledger.find(decision.segment) : nullptr;
  if (segment == nullptr || segment->sealed || decision.copies == 0) return;
  if (!decision.resume_at) {
    copies_.push_back({{decision.task.index, decision.segment}, decision.copies});
    return;
  }
  // The attempt that has got farthest keeps the part below the cut; it is asked where it can be made.
  const std::vector<AttemptId> racing = turn.cluster.racing(decision.task, decision.segment);
  const auto farthest = std::max_element(racing.begin(), racing.end(), [&](AttemptId a, AttemptId b) {
    return turn.cluster.find_attempt(a)->offset < turn.cluster.find_attempt(b)->offset;
  });
  if (farthest == racing.end() || turn.cluster.find_attempt(*farthest)->cut_pending) return;
  copies_after_cut_[*farthest] = decision.copies;
  turn.cluster.observe_cut_pending(*farthest, true);
  turn.act(action::CutAttempt{turn.cluster.find_attempt(*farthest)->node, *farthest, *decision.resume_at, false});
}

void ApplicationMaster::on_cut_answered(Turn& turn, const event::CutAnswered& answer) {
  turn.cluster.observe_cut_pending(answer.attempt, false);
  std::uint32_t copies = 0;
  if (const auto wanted = copies_after_cut_.find(answer.attempt); wanted != copies_after_cut_.end()) {
    copies = wanted->second;
    copies_after_cut_.erase(wanted);
  }
  const ByteRange held = turn.cluster.find_attempt(answer.attempt)->held;
  if (answer.at >= held.end) return;
  if (answer.at <= held.begin) {
    if (answer.release) kill(turn, answer.attempt, "it released all it held");
    return;
  }
  const Segment* segment = turn.cluster.find_task(answer.attempt.task)->ledger.containing(answer.at);
  const std::uint64_t begin = segment->range.begin;
  turn.record(record::SegmentCut{answer.attempt, begin, answer.at, answer.release});
  // The boundary is this attempt's; another that raced the same segment may stand beyond it.
  if (begin != answer.at) settle_race(turn, answer.attempt, begin);
  if (copies > 0) copies_.push_back({{answer.attempt.task.index, answer.at}, copies});
}

bool ApplicationMaster::on_segment_sealed(Turn& turn, const event::SegmentSealed& sealed) {
  const Attempt* attempt = turn.cluster.find_attempt(sealed.attempt);
  const Segment* segment = turn.cluster.find_task(sealed.attempt.task)->ledger.find(sealed.range.begin);
  if (attempt->held.begin != sealed.range.begin || segment == nullptr || segment->sealed) return false;
  if (segment->range != sealed.range) return false;
  if (sealed.range.is_open_ended() ? sealed.input_end < sealed.range.begin : sealed.input_end != sealed.range.end) {
    return false;
  }
  turn.record(record::SegmentSealed{sealed.attempt, sealed.range, sealed.input_end, sealed.output, sealed.counters});
  settle_race(turn, sealed.attempt, sealed.range.begin);
  return true;
}

// The segment that begins there is the winner's: who works on it has lost it, who was to come to it later was stopped
// in front of it when the fact was applied and learns of it now.
void ApplicationMaster::settle_race(Turn& turn, AttemptId winner, std::uint64_t begin) {
  const std::vector<Attempt>& attempts = turn.cluster.find_task(winner.task)->attempts;
  for (std::uint32_t number = 0; number < attempts.size(); ++number) {
    const Attempt& other = attempts[number];
    const AttemptId id{winner.task, number};
    if (number == winner.number || !is_live(other.state)) continue;
    if (other.held.begin == begin)
      kill(turn, id, "another attempt was first");
    else if (other.held.end == begin)
      turn.act(action::CutAttempt{other.node, id, begin, true});
  }
}

std::string ApplicationMaster::on_attempt_failed(Turn& turn, AttemptId id, bool fatal, const std::string& message) {
  const Attempt* attempt = turn.cluster.find_attempt(id);
  const std::uint64_t begin = attempt->held.begin;
  const std::string where = turn.cluster.find_node(attempt->node)->name;
  turn.record(record::AttemptEnded{id, fatal ? AttemptEnd::Fatal : AttemptEnd::Failed, message});
  if (fatal) return to_string(id.task) + ": " + message;
  const std::uint32_t failures = turn.cluster.find_task(id.task)->ledger.find(begin)->failures;
  if (failures < turn.cluster.find_job(job_)->spec.attempts_max) return {};
  return to_string(id.task) + " failed " + std::to_string(failures) + " times; the last time on " + where + ": " +
         message;
}

void ApplicationMaster::on_checkpoint_due(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt == nullptr) return;
  const bool is_alone = turn.cluster.racing(id.task, attempt->held.begin).size() == 1;
  const bool has_progressed = attempt->offset > attempt->held.begin && attempt->offset < attempt->held.end;
  if (is_alone && has_progressed && !attempt->cut_pending) {
    turn.cluster.observe_cut_pending(id, true);
    turn.act(action::CutAttempt{attempt->node, id, attempt->offset, false});
  }
  turn.timers.arm(checkpoint_of(id), turn.now + turn.cluster.find_job(job_)->spec.checkpoint_interval);
}

void ApplicationMaster::kill(Turn& turn, AttemptId id, const std::string& reason) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt == nullptr) return;
  const NodeId node = attempt->node;
  turn.record(record::AttemptEnded{id, AttemptEnd::Killed, reason});
  turn.act(action::KillAttempt{node, id, reason});
}

}  // namespace ontime::scheduler
