// What each fact may follow on. What may cause it is in fact_causes.cpp.
#include "tests/model/fact_model.h"

#include <algorithm>

namespace ontime::model {

namespace fact = scheduler::fact;
using scheduler::AttemptEnd;
using scheduler::Duty;
using scheduler::JobState;

bool FactModel::Task::is_done() const {
  return std::all_of(segments.begin(), segments.end(), [](const auto& segment) { return segment.second.sealed; });
}

const FactModel::Job* FactModel::find_job(JobId id) const {
  const auto job = jobs_.find(id);
  return job == jobs_.end() ? nullptr : &job->second;
}

const FactModel::Task* FactModel::find_task(TaskId id) const {
  const Job* job = find_job(id.job);
  return job != nullptr && id.index < job->tasks.size() ? &job->tasks[id.index] : nullptr;
}

const FactModel::Attempt* FactModel::find_attempt(AttemptId id) const {
  const Task* task = find_task(id.task);
  return task != nullptr && id.number < task->attempts.size() ? &task->attempts[id.number] : nullptr;
}

struct FactModel::Follower {
  FactModel& model;
  bool is_replay;

  void operator()(const fact::MasterStarted& fact) const {
    model.require(fact.epoch > model.epoch_, scheduler::Fact(fact), "the epoch rises with every master");
    model.epoch_ = std::max(model.epoch_, fact.epoch);
  }

  void operator()(const fact::NodeAdded& fact) const {
    const bool is_new = model.slots_.empty() || model.slots_.rbegin()->first < fact.node;
    model.require(is_new, fact.node, "a node's number is new");
    model.slots_[fact.node] = fact.slots;
  }

  void operator()(const fact::DutyChanged& fact) const {
    Duty& duty = model.duties_[fact.node];
    model.require(duty != Duty::Left, fact.node, "who has left stays away");
    model.require(fact.duty != Duty::Left || model.running_[fact.node].empty(), fact.node,
                  "a worker leaves when nothing runs there any more");
    duty = fact.duty;
  }

  void operator()(const fact::NodeForgotten& fact) const {
    model.duties_.erase(fact.node);
    for (const auto& [id, job] : model.jobs_) {
      for (const Task& task : job.tasks) {
        const bool was_there = std::any_of(task.attempts.begin(), task.attempts.end(),
                                           [&](const Attempt& attempt) { return attempt.node == fact.node; });
        model.require(!was_there, fact.node, "a node is forgotten when no remembered job ran on it");
      }
    }
  }

  void operator()(const fact::ProfileUpdated&) const {}
  void operator()(const fact::ProfileForgotten&) const {}
  void operator()(const fact::PolicyDecided&) const {}

  void operator()(const fact::JobAccepted& fact) const {
    const bool is_new = !model.jobs_.contains(fact.job) && (is_replay || fact.job > model.last_job_);
    model.require(is_new, fact.job, "a job's number is new");
    model.last_job_ = std::max(model.last_job_, fact.job);
    Job job;
    job.spec = fact.spec;
    for (const scheduler::Split& split : make_splits(fact.spec)) {
      job.tasks.push_back({split.range, {{split.range.begin, {split.range.end, false}}}, {}, split.file});
    }
    model.jobs_[fact.job] = std::move(job);
  }

  void operator()(const fact::AttemptLaunched& fact) const {
    Task* task = running_task(fact.attempt.task, "an attempt is launched for a task of a running job");
    if (task == nullptr) return;
    model.require(fact.attempt.number == task->attempts.size(), fact.attempt, "attempts are numbered in order");
    const bool is_open = model.jobs_.at(fact.attempt.task.job).spec.advised ? are_open(*task, fact.range)
                                                                            : is_one_open(*task, fact.range);
    model.require(is_open, fact.attempt, "an attempt is launched on one open segment");
    const auto duty = model.duties_.find(fact.node);
    const bool serves = duty == model.duties_.end() || duty->second == Duty::Serves;
    model.require(is_replay || serves, fact.attempt, "a node that drains gets no new attempt");
    task->attempts.push_back({fact.node, fact.range, true, fact.standby});
    std::set<AttemptId>& there = model.running_[fact.node];
    there.insert(fact.attempt);
    model.require(is_replay || there.size() <= model.slots_[fact.node], fact.attempt,
                  "an attempt is launched on a free slot");
  }

  void operator()(const fact::StandbyBegun& fact) const {
    Attempt* attempt = live(fact.attempt, "only a live standby begins");
    if (attempt == nullptr) return;
    model.require(attempt->is_standby, fact.attempt, "only a live standby begins");
    model.require(is_one_open(task_of(fact.attempt), fact.range), fact.attempt,
                  "a standby begins with an open segment");
    attempt->is_standby = false;
    attempt->held = fact.range;
  }

  // A cut may fall on a border that is there already.
  void operator()(const fact::SegmentCut& fact) const {
    Attempt* attempt = live(fact.attempt, "only a live attempt's answer cuts");
    if (attempt == nullptr) return;
    const bool is_its = attempt->held.begin <= fact.begin && fact.begin < attempt->held.end && fact.at > fact.begin &&
                        fact.at <= attempt->held.end;
    model.require(is_its || is_border(task_of(fact.attempt), fact.at), fact.attempt, "an attempt cuts what it holds");
    const bool divides = divide(task_of(fact.attempt), fact.attempt, fact.begin, fact.at, true);
    if (fact.release) attempt->held.end = fact.at;
    if (!divides) return;
    stop_others(fact.attempt, fact.begin);
    for (Attempt& other : task_of(fact.attempt).attempts) {  // standbys wait for what lies behind the cut
      if (other.is_live && other.is_standby && other.held.begin == fact.begin) other.held.begin = fact.at;
    }
  }

  void operator()(const fact::SegmentDivided& fact) const {
    Task* task = running_task(fact.task, "a segment that is divided belongs to a running job");
    if (task == nullptr) return;
    const bool is_worked_on = std::any_of(task->attempts.begin(), task->attempts.end(), [&](const Attempt& attempt) {
      return attempt.is_live && !attempt.is_standby && attempt.held.contains(fact.begin);
    });
    model.require(!is_worked_on, fact.task, "only what nobody works on is divided without asking");
    divide(*task, fact.task, fact.begin, fact.at, false);
  }

  void operator()(const fact::SegmentSealed& fact) const {
    Attempt* attempt = live(fact.attempt, "only a live attempt seals: this one was given up");
    if (attempt == nullptr) return;
    Task& task = task_of(fact.attempt);
    model.require(is_one_open(task, fact.range), fact.attempt, "exactly one open segment is sealed");
    const bool is_its =
        !attempt->is_standby && attempt->held.begin == fact.range.begin && fact.range.end <= attempt->held.end;
    model.require(is_its, fact.attempt, "an attempt seals the first segment that it holds");
    const bool is_whole =
        fact.range.is_open_ended() ? fact.input_end >= fact.range.begin : fact.input_end == fact.range.end;
    model.require(is_whole, fact.attempt, "a segment is sealed whole");
    if (const auto segment = task.segments.find(fact.range.begin); segment != task.segments.end()) {
      segment->second.sealed = true;
    }
    attempt->held.begin = fact.range.end;
    if (attempt->held.begin >= attempt->held.end) end(fact.attempt, *attempt);
    stop_others(fact.attempt, fact.range.begin);
  }

  void operator()(const fact::AttemptEnded& fact) const {
    if (Attempt* attempt = live(fact.attempt, "an attempt ends once")) end(fact.attempt, *attempt);
  }

  void operator()(const fact::CommitStarted& fact) const {
    Job* job = job_of(fact.job, "a job that is committed exists");
    if (job == nullptr) return;
    model.require(job->state == JobState::Running, fact.job, "a commit starts once");
    job->state = JobState::Committing;
    for (const Task& task : job->tasks) {
      model.require(task.is_done(), fact.job, "a job is committed when every segment is sealed");
    }
    require_idle(fact.job, *job);
  }

  void operator()(const fact::TaskReopened& fact) const {
    Job* job = job_of(fact.task.job, "a job that is mapped again exists");
    if (job == nullptr || fact.task.index >= job->tasks.size()) return;
    model.require(!is_final(job->state), fact.task, "no job is mapped again that has ended");
    Task& task = job->tasks[fact.task.index];
    model.require(task.is_done(), fact.task, "only what was sealed is opened again");
    job->state = JobState::Running;
    const std::uint64_t end = job->spec.inputs.at(task.file).knows_length() ? task.split.end : kUnknownEnd;
    task.segments = {{task.split.begin, {end, false}}};
  }

  void operator()(const fact::InputLeftOut& fact) const {
    Task* task = running_task(fact.attempt.task, "an input is left out by a running job");
    if (task == nullptr) return;
    require_idle(fact.attempt, *task, "nobody maps what is left out");
    for (auto& [begin, segment] : task->segments) segment.sealed = true;
  }

  void operator()(const fact::JobEnded& fact) const {
    Job* job = job_of(fact.job, "a job that ends exists");
    if (job == nullptr) return;
    model.require(!is_final(job->state), fact.job, "a job ends once");
    const bool is_committing = job->state == JobState::Committing;
    model.require(is_committing || fact.state != JobState::Succeeded, fact.job, "a job succeeds by its commit");
    model.require(!is_committing || fact.state != JobState::Killed, fact.job, "what is being committed is past recall");
    job->state = fact.state;
    require_idle(fact.job, *job);
  }

  void operator()(const fact::JobNotified& fact) const {
    Job* job = job_of(fact.job, "a job of which somebody was told exists");
    if (job == nullptr) return;
    model.require(fact.number < job->spec.notify.size(), fact.job, "somebody has asked for a notice");
    model.require(job->told.insert(fact.number).second, fact.job, "a job has each notice once");
  }

  void operator()(const fact::JobForgotten& fact) const {
    const Job* job = job_of(fact.job, "a job that is forgotten exists");
    if (job != nullptr) model.require(is_final(job->state), fact.job, "only an ended job is forgotten");
    model.jobs_.erase(fact.job);
  }

 private:
  Job* job_of(JobId id, const char* law) const {
    const auto found = model.jobs_.find(id);
    model.require(found != model.jobs_.end(), id, law);
    return found == model.jobs_.end() ? nullptr : &found->second;
  }

  Task* running_task(TaskId id, const char* law) const {
    Job* job = job_of(id.job, law);
    if (job == nullptr) return nullptr;
    model.require(job->state == JobState::Running && id.index < job->tasks.size(), id, law);
    return id.index < job->tasks.size() ? &job->tasks[id.index] : nullptr;
  }

  // What `live` has found is there.
  Task& task_of(AttemptId id) const { return model.jobs_.at(id.task.job).tasks[id.task.index]; }

  Attempt* live(AttemptId id, const char* law) const {
    const Attempt* attempt = model.find_attempt(id);
    const bool is_live = attempt != nullptr && attempt->is_live;
    model.require(is_live, id, law);
    return is_live ? &task_of(id).attempts[id.number] : nullptr;
  }

  void end(AttemptId id, Attempt& attempt) const {
    attempt.is_live = false;
    model.running_[attempt.node].erase(id);
  }

  // An attempt that would come to the segment later holds nothing from there on.
  void stop_others(AttemptId id, std::uint64_t begin) const {
    std::vector<Attempt>& attempts = task_of(id).attempts;
    for (std::uint32_t number = 0; number < attempts.size(); ++number) {
      Attempt& other = attempts[number];
      if (number == id.number || !other.is_live) continue;
      if (other.held.begin < begin && begin < other.held.end) other.held.end = begin;
    }
  }

  void require_idle(JobId id, const Job& job) const {
    for (const Task& task : job.tasks) require_idle(id, task, "only a running job has live attempts");
  }

  void require_idle(const auto& who, const Task& task, const char* law) const {
    const bool is_idle = std::none_of(task.attempts.begin(), task.attempts.end(),
                                      [](const Attempt& attempt) { return attempt.is_live; });
    model.require(is_idle, who, law);
  }

  static bool is_one_open(const Task& task, ByteRange range) {
    const auto segment = task.segments.find(range.begin);
    return segment != task.segments.end() && !segment->second.sealed && segment->second.end == range.end;
  }

  static bool are_open(const Task& task, ByteRange range) {
    auto segment = task.segments.find(range.begin);
    while (segment != task.segments.end() && !segment->second.sealed && segment->second.end < range.end) ++segment;
    return segment != task.segments.end() && !segment->second.sealed && segment->second.end == range.end;
  }

  static bool is_border(const Task& task, std::uint64_t at) { return task.segments.contains(at); }

  // Whether it divides anything: a border may be there already.
  bool divide(Task& task, const auto& who, std::uint64_t begin, std::uint64_t at, bool may_be_border) const {
    const auto segment = task.segments.find(begin);
    model.require(segment != task.segments.end(), who, "a segment that is cut exists");
    if (segment == task.segments.end() || (may_be_border && is_border(task, at))) return false;
    const std::uint64_t end = segment->second.end;
    model.require(!segment->second.sealed && begin < at && at < end, who, "an open segment is cut inside");
    segment->second.end = at;
    task.segments[at] = {end, false};
    return true;
  }
};

void FactModel::follow(const scheduler::JournalRecord& record, bool is_replay) {
  require(is_replay || record.at >= latest_, record.fact, "the times of records never run backwards");
  latest_ = std::max(latest_, record.at);
  std::visit(Follower{*this, is_replay}, record.fact);
}

}  // namespace ontime::model
