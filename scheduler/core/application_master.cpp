#include "scheduler/core/application_master.h"

#include <algorithm>

namespace ontime::scheduler {

ApplicationMaster::ApplicationMaster(JobId job, const Cluster& cluster)
    : job_(job),
      is_advised_(cluster.find_job(job)->spec.advised),
      is_as_written_(is_as_written(cluster.find_job(job)->spec)),
      may_race_(may_race(cluster.find_job(job)->spec)),
      outlook_(cluster, job, cluster.find_job(job)->spec.estimator),
      speculation_(job, cluster) {
  const TaskList& list = cluster.find_job(job)->tasks;
  const std::span<const Task> tasks = is_advised_ ? list.all() : list.made();
  task_count_ = list.size();
  next_fresh_ = static_cast<std::uint32_t>(tasks.size());
  while (!is_advised_ && next_fresh_ > 0 && tasks[next_fresh_ - 1].attempts.empty()) --next_fresh_;
  for (const Task& task : tasks) {
    for (const Segment& segment : task.ledger.segments()) {
      if (segment.sealed) proven_.insert(task.attempts[segment.attempt].node);
    }
  }
  for (std::uint32_t index = 0; index < next_fresh_; ++index) look_for_unheld(cluster, task_id(index));
  learn_least_stay(cluster);
}

bool ApplicationMaster::has_waiting() const {
  return speculation_.has_waiting() || !unheld_segments_.empty() || next_fresh_ < task_count_;
}

std::uint32_t ApplicationMaster::waiting() const {
  return speculation_.waiting() + static_cast<std::uint32_t>(unheld_segments_.size()) +
         (task_count_ - next_fresh_) * (1 + clones_);
}

void ApplicationMaster::refresh(const Cluster& cluster, TaskId id) {
  observe(cluster, id);
  if (id.index < next_fresh_) look_for_unheld(cluster, id);
}

void ApplicationMaster::look_for_unheld(const Cluster& cluster, TaskId id) {
  const auto first = unheld_segments_.lower_bound({id.index, 0});
  unheld_segments_.erase(first, unheld_segments_.lower_bound({id.index + 1, 0}));
  const Task& task = *cluster.find_task(id);
  task.ledger.for_each_open_from_back([&](const Segment& segment) {
    const std::uint64_t begin = segment.range.begin;
    const bool is_held = std::ranges::any_of(task.attempts, [&](const Attempt& held) { return held.holds(begin); });
    if (!is_held) unheld_segments_.insert({id.index, begin});
  });
}

std::optional<double> ApplicationMaster::on_attempt_ended(const Cluster& cluster, AttemptId attempt) {
  speculation_.on_ended(attempt);
  handing_over_.erase(attempt);
  const std::optional<double> slowness = outlook_.on_attempt_ended(cluster, attempt);
  learn_least_stay(cluster);
  return slowness;
}

// Its start, and as long again for what it maps, or one record if that takes longer. Where a start cannot be told from
// the work, it is both.
void ApplicationMaster::learn_least_stay(const Cluster& cluster) {
  const Job& job = *cluster.find_job(job_);
  const math::DurationSample* known = outlook_.known_durations(cluster, job);
  if (known == nullptr) return;
  const double begin = known->usual_fixed(math::Beginning::Cold).value_or(0) + known->mean_launch().value_or(0);
  const double work = known->takes_at_once() ? 0 : begin;
  least_stay_ = from_seconds(begin + std::max(work, seconds(job.usual_gap)));
}

// Speculative attempts first: they are what the deadline hangs on. The clones of a task that has just begun come last.
bool ApplicationMaster::launch_one(StepBuilder& step, const ResourceManager& nodes) {
  const bool holds_back = waits_for_process(step, nodes);
  if (launch_copy(step, nodes, speculation_.copies(), holds_back)) return true;
  if (!is_advised_ && ((!holds_back && launch_again(step, nodes)) || launch_first(step, nodes))) return true;
  return launch_copy(step, nodes, speculation_.clones(), holds_back);
}

bool ApplicationMaster::launch_copy(StepBuilder& step, const ResourceManager& nodes, Speculation::Queue& copies,
                                    bool holds_back) {
  const auto is_over = [&](const Speculation::Copies& wanted) {
    const Segment* segment = step.cluster.find_task(task_id(wanted.segment.task))->ledger.find(wanted.segment.begin);
    return wanted.count == 0 || segment == nullptr || segment->sealed;
  };
  if (!nodes.choose(troubled(step.now))) return false;  // for none of them, however many they are
  for (std::size_t i = 0; i < copies.size(); ++i) {
    while (!copies.empty() && is_over(copies.front())) copies.pop_front();
    if (i >= copies.size() || is_over(copies[i])) continue;
    const SegmentKey key = copies[i].segment;
    if (holds_back && unheld_segments_.contains(key)) continue;
    if (!may_ask_for_copy(step.cluster, key)) continue;
    const std::optional<NodeId> node = node_for_copy(step, nodes, key);
    if (!node) {  // another one may have a node that will do
      if (has_no_node_for_copy(step.cluster, nodes, key)) copies[i].count = 0;
      continue;
    }
    --copies[i].count;
    // The attempt it was to relieve may have ended while it waited for a slot.
    const bool waits = copies[i].standby && !step.cluster.racing(task_id(key.task), key.begin).empty();
    launch(step, *node, key, true, waits);
    return true;
  }
  return false;
}

// Not where the segment has failed: a copy there would fail as well, and one that nothing but such nodes is left for is
// not worth a slot.
std::optional<NodeId> ApplicationMaster::node_for_copy(const StepBuilder& step, const ResourceManager& nodes,
                                                       SegmentKey key) const {
  const std::vector<NodeId> bad = nodes_to_avoid(step.cluster, key, step.now);
  if (nodes.placement().apart) {
    std::vector<NodeId> avoided = nodes_that_hold(step.cluster, key);
    avoided.insert(avoided.end(), bad.begin(), bad.end());
    if (const auto node = nodes.choose(avoided, asker(step.now))) return node;
  }
  return nodes.choose(bad, asker(step.now));
}

// Every node works on the segment or has failed on it. Its copies are given up then, so that its policy can decide anew
// and does not wait for what never comes.
bool ApplicationMaster::has_no_node_for_copy(const Cluster& cluster, const ResourceManager& nodes,
                                             SegmentKey key) const {
  std::vector<NodeId> failed = nodes_that_failed(cluster, task_id(key.task), key.begin);
  if (failed.empty()) return false;
  const std::vector<NodeId> holding = nodes_that_hold(cluster, key);
  failed.insert(failed.end(), holding.begin(), holding.end());
  return nodes.covers_all_usable(failed);
}

// Where nothing but bad nodes is left one of them is tried again, but not while a node may come that the master has not
// heard of since it began.
std::optional<NodeId> ApplicationMaster::node_for_waiting(const StepBuilder& step, const ResourceManager& nodes,
                                                          const std::vector<NodeId>& bad) const {
  if (const std::optional<NodeId> node = nodes.choose_for_waiting(bad, asker(step.now))) return node;
  const bool is_last_hope = nodes.covers_all_usable(bad) && are_all(step.cluster, bad, step.now);
  return is_last_hope ? nodes.choose_for_waiting({}, asker(step.now)) : std::nullopt;
}

// Only the last attempt that a segment has left waits for nodes that may come: to stand still for them is worse than to
// fail once more. With a deadline it waits for a quarter of the time that was left when the one before it failed.
bool ApplicationMaster::waits_for_nodes(const Cluster& cluster, SegmentKey key, TimePoint now) const {
  const Job& job = *cluster.find_job(job_);
  const Task& task = *cluster.find_task(task_id(key.task));
  const std::uint32_t failures = task.ledger.find(key.begin)->failures;
  if (failures + 1 < job.spec.attempts_max) return false;
  if (job.spec.deadline == Duration::zero()) return true;
  TimePoint failed_at = job.submitted_at;
  for (const Attempt& attempt : task.attempts) {
    if (attempt.state == AttemptState::Failed && attempt.held.contains(key.begin))
      failed_at = std::max(failed_at, attempt.ended_at);
  }
  const TimePoint due = job.submitted_at + job.spec.deadline;
  return failed_at >= due || now - failed_at < (due - failed_at) / 4;
}

// Those that a node has to load the application for may be served sooner where that is done.
bool ApplicationMaster::waits_for_process(const StepBuilder& step, const ResourceManager& nodes) {
  if (unheld_segments_.empty()) {
    process_wait_.is_over();
    return false;
  }
  return nodes.placement().warm_first && nodes.warm_slots(job_) == 0 &&
         process_wait_.is_worth_it(step.cluster, job_, outlook_, unheld_segments_.size(), step.now);
}

// A segment goes to another node than those where it failed, and waits for one as long as there is one.
bool ApplicationMaster::launch_again(StepBuilder& step, const ResourceManager& nodes) {
  const std::vector<NodeId> bad_for_all = troubled(step.now);
  const bool is_for_none = unheld_segments_.empty() || !node_for_waiting(step, nodes, bad_for_all);
  for (const SegmentKey& key : unheld_segments_) {
    if (is_for_none && nodes_that_failed(step.cluster, task_id(key.task), key.begin).empty()) continue;
    const std::vector<NodeId> bad = nodes_to_avoid(step.cluster, key, step.now);
    auto node = node_for_waiting(step, nodes, bad);
    if (!node && nodes.covers_all_usable(bad) && !waits_for_nodes(step.cluster, key, step.now)) {
      node = nodes.choose_for_waiting(bad_for_all, asker(step.now));
    }
    if (!node) continue;
    launch(step, *node, key, false, false);
    return true;
  }
  return false;
}

bool ApplicationMaster::launch_first(StepBuilder& step, const ResourceManager& nodes) {
  if (next_fresh_ >= task_count_) return false;
  const std::optional<NodeId> node = node_for_waiting(step, nodes, troubled(step.now));
  if (!node) return false;
  const std::uint32_t index = next_fresh_++;
  refresh(step.cluster, task_id(index));  // all its segments wait, more than one if it was divided
  launch(step, *node, {index, step.cluster.find_task(task_id(index))->ledger.split().begin}, false, false);
  if (clones_ > 0 && may_clone(step, task_id(index))) {
    for (const Segment& segment : step.cluster.find_task(task_id(index))->ledger.segments()) {
      speculation_.add_clones({{index, segment.range.begin}, clones_, false});
    }
  }
  return true;
}

void ApplicationMaster::launch(StepBuilder& step, NodeId node, SegmentKey key, bool speculative, bool standby) {
  const TaskId id = task_id(key.task);
  const Task* task = step.cluster.find_task(id);
  const AttemptId attempt{id, static_cast<std::uint32_t>(task->attempts.size())};
  const ByteRange range = task->ledger.find(key.begin)->range;
  if (unheld_segments_.erase(key) > 0) process_wait_.is_over();
  speculation_.on_launched(attempt, standby);
  step.record(fact::AttemptLaunched{attempt, node, range, speculative, standby});
  step.act(launch_of(step.cluster, attempt));
  const JobSpec& spec = step.cluster.find_job(job_)->spec;
  if (spec.checkpoint_interval > Duration::zero()) {
    step.timers.arm(checkpoint_of(attempt), step.now + *spec.checkpoint_interval);
  }
  watch_progress(step, attempt);
}

std::vector<NodeId> ApplicationMaster::nodes_that_hold(const Cluster& cluster, SegmentKey key) const {
  std::vector<NodeId> nodes;
  for (const auto& holders :
       {cluster.racing(task_id(key.task), key.begin), cluster.standing_by(task_id(key.task), key.begin)}) {
    for (const AttemptId id : holders) nodes.push_back(cluster.find_attempt(id)->node);
  }
  return nodes;
}

bool ApplicationMaster::on_segment_sealed(StepBuilder& step, const event::SegmentSealed& sealed) {
  const Attempt* attempt = step.cluster.find_attempt(sealed.attempt);
  const Segment* segment = step.cluster.find_task(sealed.attempt.task)->ledger.find(sealed.range.begin);
  if (attempt->held.begin != sealed.range.begin || segment == nullptr || segment->sealed) return false;
  if (segment->range != sealed.range) return false;
  if (sealed.range.is_open_ended() ? sealed.input_end < sealed.range.begin : sealed.input_end != sealed.range.end) {
    return false;
  }
  proven_.insert(attempt->node);
  troubles_.erase(attempt->node);
  missing_.erase(attempt->node);
  step.cluster.observe_seal(sealed.attempt, sealed.range.end, step.now);
  if (!sealed.range.is_open_ended()) outlook_.on_sealed(step.cluster, sealed.attempt, sealed.range, sealed.times);
  const Job& job = *step.cluster.find_job(sealed.attempt.task.job);
  const auto usual = [](std::optional<double> seen, Duration before) { return seen ? from_seconds(*seen) : before; };
  step.record(fact::SegmentSealed{sealed.attempt, sealed.range, sealed.input_end, sealed.output, sealed.counters,
                                  usual(job.between_offsets.get(), job.usual_gap),
                                  usual(job.to_seal.get(), job.usual_seal),
                                  usual(outlook_.sample().mean_launch(), job.usual_launch), sealed.times});
  settle_race(step, sealed.attempt, sealed.range.begin);
  look_at_promises(step, sealed.attempt.task.index, sealed.range);
  return true;
}

// The segment that begins there is the winner's: an attempt that works on it has lost it, one to come to it later was
// stopped in front of it when the fact was applied and learns of it now.
void ApplicationMaster::settle_race(StepBuilder& step, AttemptId winner, std::uint64_t begin) {
  const std::vector<Attempt>& attempts = step.cluster.find_task(winner.task)->attempts;
  for (std::uint32_t number = 0; number < attempts.size(); ++number) {
    const Attempt& other = attempts[number];
    const AttemptId id{winner.task, number};
    if (number == winner.number || !is_live(other.state)) continue;
    if (other.held.begin == begin)
      end_attempt(step, id, AttemptEnd::Killed, "another attempt was first");
    else if (other.held.end == begin)
      end_at(step, id, begin);
  }
}

}  // namespace ontime::scheduler
