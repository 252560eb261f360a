// The audit's own ledger: what each fact may follow on.
#include <algorithm>

#include "scheduler/core/cluster.h"
#include "tests/faults/audit.h"

namespace ontime::lab::faults {

namespace fact = scheduler::fact;

Audit::Task* Audit::task_of(TaskId id) {
  const auto job = jobs_.find(id.job);
  return job != jobs_.end() && id.index < job->second.tasks.size() ? &job->second.tasks[id.index] : nullptr;
}

Audit::Attempt* Audit::attempt_of(AttemptId id) {
  Task* task = task_of(id.task);
  return task != nullptr && id.number < task->attempts.size() ? &task->attempts[id.number] : nullptr;
}

struct Audit::Follower {
  Audit& audit;
  bool is_replay;

  void operator()(const fact::MasterStarted& fact) const {
    audit.require(fact.epoch > audit.epoch_, "the epoch rises with every master");
    audit.epoch_ = std::max(audit.epoch_, fact.epoch);
  }
  void operator()(const fact::NodeAdded&) const {}
  void operator()(const fact::DutyChanged& fact) const {
    scheduler::Duty& duty = audit.duties_[fact.node];
    audit.require(duty != scheduler::Duty::Left, "who has left stays away");
    duty = fact.duty;
  }
  void operator()(const fact::ProfileUpdated&) const {}
  void operator()(const fact::ProfileForgotten&) const {}
  void operator()(const fact::NodeForgotten& fact) const {
    audit.duties_.erase(fact.node);
    for (const auto& [id, job] : audit.jobs_) {
      for (const Task& task : job.tasks) {
        const bool was_there = std::any_of(task.attempts.begin(), task.attempts.end(),
                                           [&](const Attempt& attempt) { return attempt.node == fact.node; });
        audit.require(!was_there, "a node is forgotten when no job that is remembered ran on it");
      }
    }
  }
  void operator()(const fact::PolicyDecided&) const {}

  void operator()(const fact::JobAccepted& fact) const {
    const bool is_new = !audit.jobs_.contains(fact.job) && (is_replay || !audit.ended_.contains(fact.job));
    audit.require(is_new, "a job's number is new");
    Job job;
    job.spec = fact.spec;
    for (const scheduler::Split& split : make_splits(fact.spec)) {
      job.tasks.push_back({split.range, {{split.range.begin, {split.range.end, false}}}, {}});
    }
    audit.taken_.insert(fact.spec.output);
    audit.jobs_[fact.job] = std::move(job);
  }

  void operator()(const fact::AttemptLaunched& fact) const {
    Task* task = audit.task_of(fact.attempt.task);
    if (task == nullptr) return audit.complain("an attempt is launched for a task that exists");
    audit.require(fact.attempt.number == task->attempts.size(), "attempts are numbered in order");
    task->attempts.push_back({fact.node, true});
    require_open(*task, fact.range, "an attempt is launched on one open segment");
    const auto duty = audit.duties_.find(fact.node);
    const bool serves = duty == audit.duties_.end() || duty->second == scheduler::Duty::Serves;
    audit.require(is_replay || serves, "a node that drains gets no new attempt");
  }

  void operator()(const fact::StandbyBegun& fact) const {
    require_live(fact.attempt, "only a live standby begins");
    if (Task* task = audit.task_of(fact.attempt.task))
      require_open(*task, fact.range, "a standby begins with an open segment");
  }

  void operator()(const fact::SegmentCut& fact) const {
    require_live(fact.attempt, "only a live attempt's answer cuts");
    divide(fact.attempt.task, fact.begin, fact.at, true);
  }

  void operator()(const fact::SegmentDivided& fact) const { divide(fact.task, fact.begin, fact.at, false); }

  void operator()(const fact::SegmentSealed& fact) const {
    require_live(fact.attempt, "only a live attempt seals: this one was given up");
    Task* task = audit.task_of(fact.attempt.task);
    if (task == nullptr) return;
    require_open(*task, fact.range, "exactly one open segment is sealed");
    const auto segment = task->segments.find(fact.range.begin);
    if (segment != task->segments.end()) segment->second.sealed = true;
  }

  void operator()(const fact::AttemptEnded& fact) const {
    require_live(fact.attempt, "an attempt ends once");
    // An order to begin may be lost with its connection, and a node that connects again too late as a whole; but a
    // worker that is there still has what it has mapped and the master does not know.
    const bool is_missed = fact.end == scheduler::AttemptEnd::Lost && fact.message == "its worker does not run it";
    if (is_missed && !is_replay && !audit.plan_.may_lose_attempts()) {
      const Job* job = job_of(fact.attempt.task.job, "an attempt's job exists");
      const bool has_worked = job != nullptr && audit.outputs_.holds_work_of(job->spec.output, fact.attempt);
      audit.require(!has_worked, "no work is lost where nothing happens to workers");
    }
    const bool is_silent = fact.end == scheduler::AttemptEnd::Silent;
    // One that waits for a store for longer than an attempt may takes no step forward either.
    const bool may_be_silent = audit.plan_.may_lose_attempts() || audit.plan_.may_fail_at_store();
    audit.require(!is_silent || is_replay || may_be_silent,
                  "no attempt is ended for its silence where nothing happens to workers or the store");
    if (Attempt* attempt = audit.attempt_of(fact.attempt)) attempt->is_live = false;
  }

  void operator()(const fact::CommitStarted& fact) const {
    Job* job = job_of(fact.job, "a job that is committed exists");
    if (job == nullptr) return;
    audit.require(job->state == scheduler::JobState::Running, "a commit starts once");
    job->state = scheduler::JobState::Committing;
    for (const Task& task : job->tasks) {
      const bool is_done = std::all_of(task.segments.begin(), task.segments.end(),
                                       [](const auto& segment) { return segment.second.sealed; });
      audit.require(is_done, "a job is committed when every segment is sealed");
    }
  }

  void operator()(const fact::TaskReopened& fact) const {
    Job* job = job_of(fact.task.job, "a job that is mapped again exists");
    Task* task = audit.task_of(fact.task);
    if (job == nullptr || task == nullptr) return audit.complain("a task that is mapped again exists");
    audit.require(!is_final(job->state), "no job is mapped again that has ended");
    audit.require(is_replay || audit.plan_.may_lose_output(), "what is sealed is still there when it is committed");
    job->state = scheduler::JobState::Running;
    task->segments = {{task->split.begin, {task->split.end, false}}};
  }

  void operator()(const fact::InputLeftOut& fact) const {
    Task* task = audit.task_of(fact.attempt.task);
    if (task == nullptr) return audit.complain("a task whose input is left out exists");
    for (auto& [begin, segment] : task->segments) segment.sealed = true;
  }

  void operator()(const fact::JobEnded& fact) const {
    Job* job = job_of(fact.job, "a job that ends exists");
    if (job == nullptr) return;
    audit.require(!is_final(job->state), "a job ends once");
    const bool is_committing = job->state == scheduler::JobState::Committing;
    audit.require(is_committing || fact.state != scheduler::JobState::Succeeded, "a job succeeds by its commit");
    audit.require(!is_committing || fact.state != scheduler::JobState::Killed,
                  "what is being committed is past recall");
    audit.require(fact.message.find("its output was lost") == fact.message.npos || audit.plan_.may_lose_output(),
                  "what is sealed is still there when it is committed");
    job->state = fact.state;
    if (fact.message.find("workers down") != std::string::npos) audit.blamed_for_lost_workers_.insert(fact.job);
    audit.on_ended(fact.job, fact.state);
  }

  void operator()(const fact::JobNotified& fact) const {
    Job* job = job_of(fact.job, "a job of which somebody was told exists");
    if (job == nullptr) return;
    audit.require(fact.number < job->spec.notify.size(), "somebody has asked for a notice");
    audit.require(job->told.insert(fact.number).second, "a job has each notice once");
    audit.noted_.insert(to_string(fact.job) + "/" + std::to_string(fact.number));
  }

  void operator()(const fact::JobForgotten& fact) const {
    Job* job = job_of(fact.job, "a job that is forgotten exists");
    if (job != nullptr) audit.require(is_final(job->state), "only a job that has ended is forgotten");
    audit.jobs_.erase(fact.job);
  }

  Job* job_of(JobId id, const char* what) const {
    const auto found = audit.jobs_.find(id);
    audit.require(found != audit.jobs_.end(), what);
    return found == audit.jobs_.end() ? nullptr : &found->second;
  }

  void require_live(AttemptId id, const char* what) const {
    const Attempt* attempt = audit.attempt_of(id);
    audit.require(attempt != nullptr && attempt->is_live, what);
  }

  void require_open(const Task& task, ByteRange range, const char* what) const {
    const auto segment = task.segments.find(range.begin);
    audit.require(segment != task.segments.end() && !segment->second.sealed && segment->second.end == range.end, what);
  }

  // A cut may fall on a border that is there already.
  void divide(TaskId id, std::uint64_t begin, std::uint64_t at, bool may_be_border) const {
    Task* task = audit.task_of(id);
    if (task == nullptr) return audit.complain("a segment that is cut belongs to a task");
    const auto segment = task->segments.find(begin);
    if (segment == task->segments.end()) return audit.complain("a segment that is cut exists");
    if (may_be_border && task->segments.contains(at)) return;
    const std::uint64_t end = segment->second.end;
    audit.require(!segment->second.sealed && begin < at && at < end, "an open segment is cut inside");
    segment->second.end = at;
    task->segments[at] = {end, false};
  }
};

void Audit::follow(const scheduler::JournalRecord& record, bool is_replay) {
  std::visit(Follower{*this, is_replay}, record.fact);
}

}  // namespace ontime::lab::faults
