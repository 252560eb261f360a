#include "scheduler/core/cluster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "common/base/check.h"
#include "common/base/prefetch.h"

namespace ontime::scheduler {

const Job* Cluster::find_job(JobId id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

const Node* Cluster::find_node(const std::string& incarnation) const { return find_node(node_of(incarnation)); }

NodeId Cluster::node_of(const std::string& incarnation) const {
  const auto found = incarnations_.find(incarnation);
  return found == incarnations_.end() ? NodeId{} : found->second;
}

const Task* Cluster::find_task(TaskId id) const {
  const Job* job = find_job(id.job);
  return job != nullptr && id.index < job->tasks.size() ? &job->tasks[id.index] : nullptr;
}

const Attempt* Cluster::find_attempt(AttemptId id) const {
  const Task* task = find_task(id.task);
  return task != nullptr && id.number < task->attempts.size() ? &task->attempts[id.number] : nullptr;
}

const Attempt* Cluster::find_live(AttemptId id) const {
  const Attempt* attempt = find_attempt(id);
  return attempt != nullptr && is_live(attempt->state) ? attempt : nullptr;
}

void Cluster::prefetch(std::span<const AttemptProgress> attempts) const {
  constexpr std::size_t kTogether = 16;
  for (; !attempts.empty(); attempts = attempts.subspan(std::min(kTogether, attempts.size()))) {
    const std::size_t count = std::min(kTogether, attempts.size());
    std::array<const Task*, kTogether> tasks{};
    for (std::size_t i = 0; i < count; ++i) {
      tasks[i] = find_task(attempts[i].attempt.task);
      if (tasks[i] != nullptr) prefetch_object(tasks[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t number = attempts[i].attempt.number;
      if (tasks[i] == nullptr || number >= tasks[i]->attempts.size()) continue;
      prefetch_object(&tasks[i]->attempts[number]);
      prefetch_object(&tasks[i]->ledger.segments().back());
    }
  }
}

std::vector<AttemptId> Cluster::racing(TaskId id, std::uint64_t begin) const { return holders(id, begin, false); }

std::vector<AttemptId> Cluster::standing_by(TaskId id, std::uint64_t begin) const { return holders(id, begin, true); }

std::vector<AttemptId> Cluster::holders(TaskId id, std::uint64_t begin, bool standby) const {
  std::vector<AttemptId> holders;
  const Task* task = find_task(id);
  if (task == nullptr) return holders;
  for (std::uint32_t number = 0; number < task->attempts.size(); ++number) {
    const Attempt& attempt = task->attempts[number];
    if (!is_live(attempt.state) || attempt.standby != standby || !attempt.held.contains(begin)) continue;
    holders.push_back({id, number});
  }
  return holders;
}

const estimate::DurationSample* Cluster::find_profile(const JobSpec& spec) const {
  return profiles_.find(profile_key(spec));
}

// Lengths in front, so that no name or value can pass for another.
std::string Cluster::profile_key(const JobSpec& spec) {
  const auto sized = [](const std::string& text) { return std::to_string(text.size()) + ":" + text; };
  std::string key = sized(spec.application);
  for (const auto& [name, value] : spec.parameters) key += sized(name) + sized(value);
  return key;
}

Node& Cluster::node(NodeId id) {
  Node* node = nodes_.find(id);
  ONTIME_CHECK(node != nullptr, "a node that is used is known");
  return *node;
}

Job& Cluster::job(JobId id) { return jobs_.at(id); }
Task& Cluster::task(TaskId id) {
  Job& of = job(id.job);
  ONTIME_CHECK(of.state == JobState::Running, "what is committed or has ended does not change any more");
  return of.tasks.at(id.index);
}
Attempt& Cluster::attempt(AttemptId id) { return task(id.task).attempts.at(id.number); }

Attempt* Cluster::live_attempt(AttemptId id) { return find_live(id) != nullptr ? &attempt(id) : nullptr; }

// A node whose attempts live is one of a job that is remembered.
void Cluster::refresh_gone(NodeId id) {
  const Node& node = this->node(id);
  const bool is_gone = (node.state == NodeState::Lost || node.duty == Duty::Left) && node.jobs == 0;
  if (is_gone)
    gone_.insert(id);
  else
    gone_.erase(id);
}

std::optional<NodeId> Cluster::surplus_node(std::size_t kept) const {
  if (gone_.size() <= kept || *gone_.begin() == std::prev(nodes_.end())->first) return std::nullopt;
  return *gone_.begin();
}

void Cluster::end_attempt(AttemptId id, AttemptState state, TimePoint now) {
  Attempt& ended = attempt(id);
  ended.state = state;
  ended.ended_at = now;
  ended.cut.reset();
  Job& of = job(id.task.job);
  of.live.erase(id);
  node(ended.node).live.erase(id);
  const auto owner = live_of_owner_.find(of.spec.owner);
  ONTIME_CHECK(owner != live_of_owner_.end(), "an attempt that ends was live");
  if (--owner->second == 0) live_of_owner_.erase(owner);
}

std::size_t Cluster::live_attempts_of(const std::string& owner) const {
  const auto found = live_of_owner_.find(owner);
  return found == live_of_owner_.end() ? 0 : found->second;
}

// One overload for each durable fact. A fact that does not fit the state is a broken invariant: the scheduler makes
// none, so the journal would be damaged.
struct Cluster::Applier {
  Cluster& cluster;
  TimePoint at;

  void operator()(const record::MasterStarted& fact) const { cluster.epoch_ = fact.epoch; }

  void operator()(const record::NodeAdded& fact) const {
    Node node;
    node.incarnation = fact.incarnation;
    node.name = fact.name;
    node.host = fact.host;
    node.slots = fact.slots;
    node.heard_at = at;
    cluster.nodes_.add(fact.node, std::move(node));
    cluster.incarnations_[fact.incarnation] = fact.node;
  }

  void operator()(const record::DutyChanged& fact) const {
    cluster.node(fact.node).duty = fact.duty;
    cluster.refresh_gone(fact.node);
  }

  void operator()(const record::NodeForgotten& fact) const {
    const Node& node = cluster.node(fact.node);
    ONTIME_CHECK(node.jobs == 0 && node.live.empty(), "no job refers to a node that is forgotten");
    cluster.incarnations_.erase(node.incarnation);
    cluster.gone_.erase(fact.node);
    cluster.nodes_.forget(fact.node);
  }

  void operator()(const record::JobAccepted& fact) const {
    Job job(fact.spec);
    job.submitted_at = at;
    for (const InputFile& file : fact.spec.inputs) job.input_bytes += file.size;
    const bool is_new = cluster.jobs_.emplace(fact.job, std::move(job)).second;
    ONTIME_CHECK(is_new, "a job is accepted once");
    cluster.last_job_ = std::max(cluster.last_job_, fact.job);
  }

  void operator()(const record::AttemptLaunched& fact) const {
    Task& task = cluster.task(fact.attempt.task);
    ONTIME_CHECK(fact.attempt.number == task.attempts.size(), "attempts are numbered in order of launch");
    const Segment* segment = task.ledger.find(fact.range.begin);
    ONTIME_CHECK(segment != nullptr && !segment->sealed && segment->range == fact.range,
                 "an attempt is launched on one open segment");
    Attempt attempt;
    attempt.node = fact.node;
    attempt.speculative = fact.speculative;
    attempt.held = fact.range;
    attempt.standby = fact.standby;
    attempt.start_offset = attempt.offset = fact.range.begin;
    attempt.launch_end = fact.range.end;
    attempt.launched_at = attempt.progressed_at = attempt.reported_at = at;
    task.attempts.push_back(attempt);
    Job& job = cluster.job(fact.attempt.task.job);
    job.live.insert(fact.attempt);
    ++cluster.live_of_owner_[job.spec.owner];
    Node& node = cluster.node(fact.node);
    node.live.insert(fact.attempt);
    if (job.nodes.insert(fact.node).second && ++node.jobs == 1) cluster.refresh_gone(fact.node);
    ++job.attempts_launched;
  }

  void operator()(const record::StandbyBegun& fact) const {
    Attempt& attempt = cluster.attempt(fact.attempt);
    const Segment* segment = cluster.task(fact.attempt.task).ledger.find(fact.range.begin);
    ONTIME_CHECK(attempt.standby && segment != nullptr && !segment->sealed && segment->range == fact.range,
                 "a standby begins with one open segment");
    attempt.standby = false;
    attempt.was_standby = true;
    attempt.held = fact.range;
    attempt.start_offset = attempt.offset = fact.range.begin;
    attempt.launch_end = fact.range.end;
    attempt.progressed_at = attempt.reported_at = at;
    attempt.earlier = attempt.later = {at, fact.range.begin};
  }

  void operator()(const record::SegmentDivided& fact) const {
    const bool divided = cluster.task(fact.task).ledger.cut(fact.begin, fact.at);
    ONTIME_CHECK(divided, "only an open segment is divided");
  }

  void operator()(const record::SegmentCut& fact) const {
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

  void operator()(const record::SegmentSealed& fact) const {
    Task& task = cluster.task(fact.attempt.task);
    const bool sealed = task.ledger.seal(fact.range, fact.input_end, fact.attempt.number, fact.output);
    ONTIME_CHECK(sealed, "only an open segment is sealed, whole and once");
    Job& job = cluster.job(fact.attempt.task.job);
    job.sealed_bytes += fact.input_end - fact.range.begin;
    job.sealed_records += fact.output.records;
    for (const auto& [key, value] : fact.counters) job.counters[key] += value;
    if (task.ledger.is_done()) ++job.tasks_done;

    Attempt& winner = cluster.attempt(fact.attempt);
    winner.held.begin = fact.range.end;
    winner.offset = std::max(winner.offset, fact.input_end);
    if (winner.held.begin == winner.held.end) cluster.end_attempt(fact.attempt, AttemptState::Succeeded, at);
    stop_others_before(task, fact.range.begin, fact.attempt.number);
  }

  // Attempts that would come to the segment at `begin` later, but are not `number`, hold nothing from there on.
  static void stop_others_before(Task& task, std::uint64_t begin, std::uint32_t number) {
    for (std::uint32_t other = 0; other < task.attempts.size(); ++other) {
      Attempt& attempt = task.attempts[other];
      if (other == number || !is_live(attempt.state)) continue;
      if (attempt.held.begin < begin && begin < attempt.held.end) attempt.held.end = begin;
    }
  }

  void operator()(const record::AttemptEnded& fact) const {
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

  void operator()(const record::PolicyDecided& fact) const {
    Job& job = cluster.job(fact.job);
    if (fact.decision.reason == kPolicyMissing) job.policy_problem = fact.decision.text;
    if (fact.decision.reason == kPolicyBack) job.policy_problem.clear();
    if (job.decisions.size() < kDecisionsKept)
      job.decisions.push_back({at, fact.decision});
    else
      ++job.decisions_dropped;
  }

  void operator()(const record::ProfileUpdated& fact) const { cluster.profiles_.update(fact.key, fact.sample, at); }

  void operator()(const record::ProfileForgotten& fact) const { cluster.profiles_.forget(fact.key); }

  void operator()(const record::CommitStarted& fact) const { cluster.job(fact.job).state = JobState::Committing; }

  void operator()(const record::JobEnded& fact) const {
    Job& job = cluster.job(fact.job);
    job.state = fact.state;
    job.message = fact.message;
    job.ended_at = at;
  }

  void operator()(const record::JobForgotten& fact) const {
    for (const NodeId id : cluster.job(fact.job).nodes) {
      if (--cluster.node(id).jobs == 0) cluster.refresh_gone(id);
    }
    cluster.jobs_.erase(fact.job);
  }
};

void Cluster::apply(const Record& record) { std::visit(Applier{*this, record.at}, record.fact); }

void Cluster::observe_node(NodeId id, NodeState state, bool synchronised, TimePoint now) {
  Node& node = this->node(id);
  node.state = state;
  node.synchronised = synchronised;
  if (state == NodeState::Live) node.heard_at = now;
  if (state == NodeState::Lost) node.lost_at = now;
  refresh_gone(id);
}

void Cluster::observe_heard(NodeId id, TimePoint now) {
  if (Node* node = nodes_.find(id)) node->heard_at = now;
}

namespace {
constexpr double kGapLeast = 1e-3;  // seconds; two reports closer than that are one
}

Duration recent_window(const JobSpec& spec) {
  if (spec.deadline <= Duration::zero()) return std::chrono::seconds(5);
  return std::max<Duration>(std::chrono::milliseconds(200), spec.deadline / 40);
}

void Cluster::observe_progress(const AttemptProgress& progress, TimePoint now) {
  Attempt* attempt = live_attempt(progress.attempt);
  if (attempt == nullptr) return;
  Job& job = this->job(progress.attempt.task.job);
  // The last record of a range may end beyond it.
  const std::uint64_t offset = std::min(progress.offset, attempt->held.end);
  if (offset > attempt->offset) {
    const Duration gap = now - attempt->progressed_at;
    ++job.offset_moves;
    job.offset_moves_ln += std::log(std::max(kGapLeast, seconds(gap)));
    attempt->longest_gap = std::max(attempt->longest_gap, gap);
    attempt->offset = offset;
    attempt->progressed_at = now;
  }
  attempt->reported_at = now;
  if (now - attempt->later.at >= recent_window(job.spec)) {
    attempt->earlier = attempt->later;
    attempt->later = {now, attempt->offset};
  }
  attempt->records = std::max(attempt->records, progress.records);
  attempt->output_bytes = std::max(attempt->output_bytes, progress.output_bytes);
}

void Cluster::observe_started(AttemptId id, TimePoint now) {
  Attempt* attempt = live_attempt(id);
  if (attempt == nullptr || attempt->state == AttemptState::Running) return;
  attempt->state = AttemptState::Running;
  attempt->started_at = attempt->progressed_at = attempt->reported_at = now;
  if (attempt->ready_at == TimePoint{}) attempt->ready_at = now;
  attempt->earlier = attempt->later = {now, attempt->offset};
}

void Cluster::observe_ready(AttemptId id, TimePoint now) {
  Attempt* attempt = live_attempt(id);
  if (attempt != nullptr && attempt->ready_at == TimePoint{}) attempt->ready_at = now;
}

void Cluster::observe_declined(TaskId id, Reason reason, TimePoint now) {
  const auto [declined, is_new] = job(id.job).declined.try_emplace(id.index, Declined{reason, now, now});
  if (!is_new && declined->second.reason != reason) declined->second = {reason, now, now};
  declined->second.last = now;
}

void Cluster::observe_cut(AttemptId id, const std::optional<CutInFlight>& cut) {
  if (Attempt* attempt = live_attempt(id)) attempt->cut = cut;
}

void Cluster::observe_decision_dropped(JobId id) { ++job(id).decisions_dropped; }

void Cluster::observe_adopted(AttemptId id) {
  Attempt* attempt = live_attempt(id);
  if (attempt == nullptr) return;
  attempt->adopted = true;
  if (attempt->state == AttemptState::Running || attempt->standby || attempt->offset == attempt->start_offset) return;
  attempt->state = AttemptState::Running;
  attempt->ready_at = attempt->started_at = attempt->launched_at;
  attempt->earlier = attempt->later = {attempt->launched_at, attempt->start_offset};
}

void Cluster::observe_restart(TimePoint now) {
  if (epoch_ > 1) taken_over_at_ = now;
  for (auto& [id, node] : nodes_) {
    node.state = NodeState::Silent;
    node.synchronised = false;
    node.heard_at = now;
    refresh_gone(id);
    for (const AttemptId attempt : node.live) {
      Attempt& live = this->attempt(attempt);
      live.adopted = false;
      live.cut.reset();
      live.progressed_at = now;
    }
  }
}

}  // namespace ontime::scheduler
