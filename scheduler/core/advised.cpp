// Advised jobs: another engine, such as YARN, launches their attempts where and when it likes, and again those that
// have failed. The scheduler learns of each by an event, asks the engine for copies, and otherwise plans as for any
// job.
#include "scheduler/core/scheduler_impl.h"

namespace ontime::scheduler {

void Scheduler::Impl::on(StepBuilder& step, const event::LaunchedElsewhere& event) {
  const Job* job = cluster_.find_job(event.task.job);
  const bool is_expected = job != nullptr && job->state == JobState::Running && job->spec.advised;
  if (!is_expected || event.task.index >= job->tasks.size()) return;
  const Node* node = cluster_.find_node(event.node);
  if (node == nullptr || node->state != NodeState::Live || node->live.size() >= node->slots) return;
  masters_.at(event.task.job).on_launched_elsewhere(step, event);
}

// It maps all that is open from there on, which a cut may have divided.
void ApplicationMaster::on_launched_elsewhere(StepBuilder& step, const event::LaunchedElsewhere& launched) {
  const Task& task = *step.cluster.find_task(launched.task);
  const ByteRange range{launched.begin, task.ledger.open_until(launched.begin)};
  if (range.begin == range.end) return;
  const bool is_first = task.attempts.empty();
  const bool races = !step.cluster.racing(launched.task, launched.begin).empty();
  const AttemptId attempt{launched.task, static_cast<std::uint32_t>(task.attempts.size())};
  step.record(fact::AttemptLaunched{attempt, launched.node, range, races, false, launched.age});
  refresh(step.cluster, launched.task);
  watch_progress(step, attempt);
  if (is_first && clones_ > 0) speculation_.add_clones({{launched.task.index, launched.begin}, clones_, false});
}

// Hadoop fails a job that is asked for a copy of a task that it has not begun with.
bool ApplicationMaster::may_ask_for_copy(const Cluster& cluster, SegmentKey key) const {
  return !is_advised_ || !cluster.find_task(task_id(key.task))->attempts.empty();
}

}  // namespace ontime::scheduler
