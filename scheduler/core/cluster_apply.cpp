// What each durable fact changes. Nothing else changes durable state.
#include <algorithm>
#include <variant>

#include "common/base/check.h"
#include "scheduler/core/cluster.h"
#include "scheduler/math/segment_costs.h"

namespace ontime::scheduler {

// One overload for each durable fact. A fact that does not fit the state is a broken invariant: the scheduler makes
// none, so the journal would be damaged.
struct Cluster::Applier {
  Cluster& cluster;
  TimePoint at;

  void operator()(const fact::MasterStarted& fact) const { cluster.epoch_ = fact.epoch; }

  void operator()(const fact::NodeAdded& fact) const {
    Node node;
    node.incarnation = fact.incarnation;
    node.name = fact.name;
    node.host = fact.host;
    node.slots = fact.slots;
    node.heard_at = at;
    cluster.nodes_.add(fact.node, std::move(node));
    cluster.incarnations_[fact.incarnation] = fact.node;
  }

  void operator()(const fact::DutyChanged& fact) const {
    cluster.node(fact.node).duty = fact.duty;
    cluster.refresh_gone(fact.node);
  }

  void operator()(const fact::NodeForgotten& fact) const {
    const Node& node = cluster.node(fact.node);
    ONTIME_CHECK(node.jobs == 0 && node.live.empty(), "no job refers to a node that is forgotten");
    cluster.incarnations_.erase(node.incarnation);
    cluster.gone_.erase(fact.node);
    cluster.nodes_.forget(fact.node);
  }

  void operator()(const fact::JobAccepted& fact) const {
    Job job(fact.spec);
    job.submitted_at = at;
    for (const InputFile& file : fact.spec.inputs) job.input_bytes += file.knows_length() ? file.length() : file.size;
    cluster.room_taken_.take(job.spec.owner, room_for(job.spec, job.tasks.size()));
    const bool is_new = cluster.jobs_.emplace(fact.job, std::move(job)).second;
    ONTIME_CHECK(is_new, "a job is accepted once");
    cluster.last_job_ = std::max(cluster.last_job_, fact.job);
  }

  void operator()(const fact::AttemptLaunched& fact) const {
    Task& task = cluster.task(fact.attempt.task);
    ONTIME_CHECK(fact.attempt.number == task.attempts.size(), "attempts are numbered in order of launch");
    ONTIME_CHECK(fact.range.begin < fact.range.end && task.ledger.open_until(fact.range.begin) >= fact.range.end,
                 "an attempt is launched on what is open");
    Attempt attempt;
    attempt.node = fact.node;
    attempt.speculative = fact.speculative;
    attempt.held = fact.range;
    attempt.standby = fact.standby;
    attempt.start_offset = attempt.offset = fact.range.begin;
    attempt.launch_end = fact.range.end;
    attempt.progressed_at = attempt.reported_at = attempt.segment_at = attempt.idle_until = at;
    attempt.launched_at = at - fact.age;
    Node& node = cluster.node(fact.node);
    attempt.is_warm = take_idle_runner(node.idle_runners, fact.attempt.task.job, node.live.size(), node.slots);
    task.attempts.push_back(attempt);
    Job& job = cluster.job(fact.attempt.task.job);
    job.live.insert(job.live.end(), fact.attempt);  // most tasks are launched in their order
    ++cluster.live_of_owner_[job.spec.owner];
    node.live.insert(node.live.end(), fact.attempt);
    if (job.nodes.insert(fact.node).second && ++node.jobs == 1) cluster.refresh_gone(fact.node);
    ++job.attempts_launched;
  }

  void operator()(const fact::StandbyBegun& fact) const {
    Attempt& attempt = cluster.attempt(fact.attempt);
    const Segment* segment = cluster.task(fact.attempt.task).ledger.find(fact.range.begin);
    ONTIME_CHECK(attempt.standby && segment != nullptr && !segment->sealed && segment->range == fact.range,
                 "a standby begins with one open segment");
    attempt.standby = false;
    attempt.was_standby = true;
    attempt.held = fact.range;
    attempt.start_offset = attempt.offset = fact.range.begin;
    attempt.launch_end = fact.range.end;
    attempt.progressed_at = attempt.reported_at = attempt.segment_at = attempt.idle_until = at;
    attempt.segment = {};
    attempt.earlier = attempt.later = {at, fact.range.begin};
  }

  void operator()(const fact::SegmentDivided& fact) const {
    const bool divided = cluster.task(fact.task).ledger.cut(fact.begin, fact.at);
    ONTIME_CHECK(divided, "only an open segment is divided");
  }

  void operator()(const fact::SegmentCut& fact) const {
    Task& task = cluster.task(fact.attempt.task);
    const bool divided = task.ledger.cut(fact.begin, fact.at);  // not if `at` is a border already
    if (fact.release) task.attempts.at(fact.attempt.number).held.end = fact.at;
    if (!divided) return;
    stop_others_before(task, fact.begin, fact.attempt.number);
    // Standbys wait for what lies behind the cut.
    for (Attempt& other : task.attempts) {
      if (!is_live(other.state) || !other.standby || other.held.begin != fact.begin) continue;
      other.held.begin = other.start_offset = other.offset = fact.at;
    }
  }

  void operator()(const fact::SegmentSealed& fact) const {
    Task& task = cluster.task(fact.attempt.task);
    const bool sealed = task.ledger.seal(fact.range, fact.input_end, fact.attempt.number, fact.output);
    ONTIME_CHECK(sealed, "only an open segment is sealed, whole and once");
    Job& job = cluster.job(fact.attempt.task.job);
    job.sealed_bytes += fact.input_end - fact.range.begin;
    if (!task.is_left_out) count(job, task, fact);
    job.usual_gap = fact.usual_gap;
    job.usual_seal = fact.usual_seal;
    job.usual_launch = fact.usual_launch;
    if (task.ledger.is_done()) ++job.tasks_done;

    Attempt& winner = cluster.attempt(fact.attempt);
    if (fact.times.is_known() && !fact.range.is_open_ended()) {
      const math::Mapped mapped =
          math::learn_from_sealed(fact.times, static_cast<double>(fact.range.size()), winner.beginning(), job.starts);
      const bool is_at_once = mapped.bytes <= 0;
      winner.beside += from_seconds(is_at_once ? mapped.fixed : std::min(mapped.fixed, seconds(fact.times.first)));
    }
    winner.held.begin = fact.range.end;
    winner.offset = std::max(winner.offset, fact.input_end);
    winner.segment_at = winner.idle_until = at;
    winner.segment = {};
    if (winner.held.begin == winner.held.end) cluster.end_attempt(fact.attempt, AttemptState::Succeeded, at);
    stop_others_before(task, fact.range.begin, fact.attempt.number);
  }

  static void count(Job& job, const Task& task, const fact::SegmentSealed& fact) {
    job.sealed_records += fact.output.records;
    job.output_bytes += fact.output.length;
    job.output_content_bytes += fact.output.content_length;
    if (task.is_counted) return;
    for (const auto& [key, value] : fact.counters) job.counters[key] += value;
    if (!leaves_out_while_mapped(job.spec)) return;
    for (const auto& [key, value] : fact.counters) job.counters_of[task.file][key] += value;
  }

  static void discount(Job& job, const SealedOutput& output) {
    job.sealed_records -= output.records;
    job.output_bytes -= output.length;
    job.output_content_bytes -= output.content_length;
  }

  // Attempts that would come to the segment at `begin` later, but are not `number`, hold nothing from there on.
  static void stop_others_before(Task& task, std::uint64_t begin, std::uint32_t number) {
    for (std::uint32_t other = 0; other < task.attempts.size(); ++other) {
      Attempt& attempt = task.attempts[other];
      if (other == number || !is_live(attempt.state)) continue;
      if (attempt.held.begin < begin && begin < attempt.held.end) attempt.held.end = begin;
    }
  }

  void operator()(const fact::AttemptEnded& fact) const {
    Attempt& attempt = cluster.attempt(fact.attempt);
    Ledger& ledger = cluster.task(fact.attempt.task).ledger;
    switch (fact.end) {
      case AttemptEnd::Succeeded:
        return cluster.end_attempt(fact.attempt, AttemptState::Succeeded, at);
      case AttemptEnd::Killed:
        return cluster.end_attempt(fact.attempt, AttemptState::Killed, at);
      case AttemptEnd::Lost:
        return cluster.end_attempt(fact.attempt, AttemptState::Lost, at);
      case AttemptEnd::Silent:
        ledger.count_silence(attempt.held.begin);
        return cluster.end_attempt(fact.attempt, AttemptState::Killed, at);
      case AttemptEnd::Failed:
      case AttemptEnd::Fatal:
        ledger.count_failure(attempt.held.begin);
        break;
      case AttemptEnd::Stalled:
        ledger.count_failure(attempt.held.begin);
        ledger.count_stall(attempt.held.begin);
        break;
      case AttemptEnd::Excused:
        break;
    }
    ++cluster.job(fact.attempt.task.job).attempts_failed;
    ++cluster.node(attempt.node).failures;
    cluster.end_attempt(fact.attempt, AttemptState::Failed, at);
  }

  void operator()(const fact::PolicyDecided& fact) const {
    Job& job = cluster.job(fact.job);
    if (fact.decision.reason == kPolicyMissing) job.policy_problem = fact.decision.text;
    if (fact.decision.reason == kPolicyBack) job.policy_problem.clear();
    if (job.decisions.size() < kDecisionsKept)
      job.decisions.push_back({at, fact.decision});
    else
      ++job.decisions_dropped;
  }

  void operator()(const fact::ProfileUpdated& fact) const { cluster.profiles_.update(fact.key, fact.sample, at); }

  void operator()(const fact::ProfileForgotten& fact) const { cluster.profiles_.forget(fact.key); }

  void operator()(const fact::CommitStarted& fact) const { cluster.job(fact.job).state = JobState::Committing; }

  // A commit may still be reading the tasks.
  void operator()(const fact::JobNotified& fact) const {
    Job& job = cluster.job(fact.job);
    const bool is_new = job.told.try_emplace(fact.number, Told{at, fact.problem}).second;
    ONTIME_CHECK(is_new && fact.number < job.spec.notify.size(), "a job has each notice once");
  }

  void operator()(const fact::TaskReopened& fact) const {
    Job& job = cluster.job(fact.task.job);
    if (job.state == JobState::Committing) job.tasks.detach();
    if (!is_final(job.state)) job.state = JobState::Running;
    Task& task = cluster.task(fact.task);
    ONTIME_CHECK(task.ledger.is_done(), "only what was sealed can be lost");
    job.sealed_bytes -= task.ledger.sealed_bytes();
    if (!task.is_left_out) discount(job, task.ledger.sealed_output());
    --job.tasks_done;
    task.ledger.reopen(job.spec.inputs.at(task.file).knows_length() ? task.ledger.split().end : kUnknownEnd);
    task.is_counted = true;
  }

  void operator()(const fact::InputLeftOut& fact) const {
    Job& job = cluster.job(fact.attempt.task.job);
    Task& task = cluster.task(fact.attempt.task);
    ONTIME_CHECK(!task.ledger.is_done(), "only an input that is not mapped yet is left out");
    if (job.left_out.emplace(task.file, fact.why).second) leave_out(job, task.file);
    job.sealed_bytes -= task.ledger.sealed_bytes();
    task.ledger.seal_rest(cluster.attempt(fact.attempt).offset, fact.attempt.number);
    job.sealed_bytes += task.ledger.sealed_bytes();
    ++job.tasks_done;
  }

  // What was sealed of the input does not count any more. Tasks are in the order of their inputs.
  static void leave_out(Job& job, std::uint32_t file) {
    const auto made = job.tasks.made();
    const auto first = std::ranges::lower_bound(made, file, {}, &Task::file);
    for (auto index = static_cast<std::uint32_t>(first - made.begin()); index < job.tasks.size(); ++index) {
      Task& task = job.tasks.at(index);
      if (task.file != file) break;
      discount(job, task.ledger.sealed_output());
      task.is_left_out = true;
    }
    const auto counted = job.counters_of.extract(file);
    if (counted.empty()) return;
    for (const auto& [key, value] : counted.mapped()) job.counters[key] -= value;
  }

  void operator()(const fact::JobEnded& fact) const {
    Job& job = cluster.job(fact.job);
    if (!is_final(job.state)) cluster.room_taken_.give_back(job.spec.owner, room_for(job.spec, job.tasks.size()));
    job.state = fact.state;
    job.message = fact.message;
    job.end_wanted = fact.wanted;
    job.ended_at = at;
    for (const NodeId node : job.nodes) std::erase(cluster.node(node).idle_runners, fact.job);
  }

  void operator()(const fact::JobForgotten& fact) const {
    for (const NodeId id : cluster.job(fact.job).nodes) {
      if (--cluster.node(id).jobs == 0) cluster.refresh_gone(id);
    }
    cluster.jobs_.erase(fact.job);
  }
};

void Cluster::apply(const JournalRecord& record) { std::visit(Applier{*this, record.at}, record.fact); }

}  // namespace ontime::scheduler
