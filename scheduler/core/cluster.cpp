#include "scheduler/core/cluster.h"

#include <algorithm>
#include <array>
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

const Task* Cluster::find_made(TaskId id) const {
  const Job* job = find_job(id.job);
  return job != nullptr && id.index < job->tasks.made().size() ? &job->tasks.made()[id.index] : nullptr;
}

const InputFile* Cluster::find_input(TaskId id) const {
  const Task* task = find_task(id);
  return task != nullptr ? &find_job(id.job)->spec.inputs.at(task->file) : nullptr;
}

const Attempt* Cluster::find_attempt(AttemptId id) const {
  const Task* task = find_made(id.task);
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
      tasks[i] = find_made(attempts[i].attempt.task);
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
  const Task* task = find_made(id);
  if (task == nullptr) return holders;
  for (std::uint32_t number = 0; number < task->attempts.size(); ++number) {
    const Attempt& attempt = task->attempts[number];
    if (attempt.standby != standby || !attempt.holds(begin)) continue;
    holders.push_back({id, number});
  }
  return holders;
}

const math::DurationSample* Cluster::find_profile(const JobSpec& spec) const {
  return profiles_.find(scheduler::profile_key(spec));
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
  Node& at = node(ended.node);
  at.live.erase(id);
  // The process of any other ends.
  if (state == AttemptState::Succeeded && !of.spec.advised) at.idle_runners.push_back(id.task.job);
  const auto owner = live_of_owner_.find(of.spec.owner);
  ONTIME_CHECK(owner != live_of_owner_.end(), "an attempt that ends was live");
  if (--owner->second == 0) live_of_owner_.erase(owner);
}

std::size_t Cluster::live_attempts_of(const std::string& owner) const {
  const auto found = live_of_owner_.find(owner);
  return found == live_of_owner_.end() ? 0 : found->second;
}

void Cluster::observe_node(NodeId id, NodeState state, bool synchronised, TimePoint now) {
  Node& node = this->node(id);
  node.state = state;
  if (!synchronised || !node.synchronised) node.idle_runners.clear();
  node.synchronised = synchronised;
  if (state == NodeState::Live) node.heard_at = now;
  if (state == NodeState::Lost) node.lost_at = now;
  refresh_gone(id);
}

void Cluster::observe_announced(NodeId id, Duration leaves_in, TimePoint now) {
  Node& node = this->node(id);
  node.leaves_at = leaves_in > Duration::zero() ? now + leaves_in : TimePoint::max();
  node.stay = std::max(node.stay, leaves_in);
}

void Cluster::observe_heard(NodeId id, TimePoint now) {
  if (Node* node = nodes_.find(id)) node->heard_at = now;
}

Duration recent_window(const JobSpec& spec) {
  if (spec.deadline <= Duration::zero()) return std::chrono::seconds(5);
  return std::max<Duration>(std::chrono::milliseconds(200), spec.deadline / 40);
}

namespace {
void advance(Attempt& attempt, const AttemptProgress& progress, Duration window, TimePoint now) {
  // The last record of a range may end beyond it.
  const std::uint64_t offset = std::min(progress.offset, attempt.held.end);
  if (offset > attempt.offset) {
    attempt.offset = offset;
    attempt.progressed_at = now;
  }
  if (attempt.offset <= attempt.held.begin) attempt.idle_until = now;
  attempt.reported_at = now;
  attempt.segment = progress.segment;
  if (now - attempt.later.at >= window) {
    attempt.earlier = attempt.later;
    attempt.later = {now, attempt.offset};
  }
  attempt.records = std::max(attempt.records, progress.records);
  attempt.output_bytes = std::max(attempt.output_bytes, progress.output_bytes);
}
}  // namespace

void Cluster::observe_progress(const AttemptProgress& progress, TimePoint now) {
  Attempt* attempt = live_attempt(progress.attempt);
  if (attempt == nullptr) return;
  Job& job = this->job(progress.attempt.task.job);
  // A move to the begin of the first record does not show how long records take.
  if (progress.offset > attempt->offset && progress.records > attempt->records) {
    const Duration gap = std::max<Duration>(UsualTime::kLeast, now - attempt->progressed_at);
    job.between_offsets.add(gap);
    attempt->longest_gap = std::max(attempt->longest_gap, gap);
  }
  advance(*attempt, progress, recent_window(job.spec), now);
  if (!has_seen_launch_of(*attempt)) begin_unseen(*attempt);
}

// Only the last seal of an attempt shows how long sealing takes: behind the others it goes on mapping. One that comes
// before the last offset was reported took no time to speak of, unless the master has missed the report.
void Cluster::observe_seal(AttemptId id, std::uint64_t end, TimePoint now) {
  Attempt& sealing = attempt(id);
  const bool is_mapped = sealing.offset >= sealing.held.end;
  if (end == sealing.held.end && !sealing.held.is_open_ended() && has_seen_launch_of(sealing))
    job(id.task.job).to_seal.add(is_mapped ? now - sealing.progressed_at : Duration::zero());
  if (is_mapped) sealing.progressed_at = now;  // of several that are to be sealed
}

void Cluster::observe_started(AttemptId id, TimePoint at) {
  Attempt* attempt = live_attempt(id);
  if (attempt == nullptr || attempt->state == AttemptState::Running) return;
  at = std::max(at, attempt->launched_at);
  attempt->state = AttemptState::Running;
  attempt->started_at = attempt->progressed_at = attempt->reported_at = at;
  attempt->segment_at = attempt->idle_until = at;
  if (attempt->ready_at == TimePoint{}) attempt->ready_at = at;
  attempt->earlier = attempt->later = {at, attempt->offset};
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

void Cluster::observe_cut(AttemptId id, const CutInFlight& cut) {
  if (Attempt* attempt = live_attempt(id)) attempt->cut = cut;
}

void Cluster::observe_cut_answered(AttemptId id, TimePoint now) {
  Attempt* attempt = live_attempt(id);
  if (attempt == nullptr || !attempt->cut) return;
  // It answers between two records, so only what is beyond one was spent on the way.
  const Duration record = std::max(attempt->longest_gap, now - attempt->progressed_at);
  Duration& longest = job(id.task.job).longest_way;
  longest = std::max(longest, now - attempt->cut->asked_at - record);
  attempt->cut.reset();
}

void Cluster::observe_step() {
  judged_.clear();
  unjudged_ = 0;
}

void Cluster::observe_judged(Judgement judged, TimePoint now) {
  Job& job = this->job(judged.task.job);
  if (judged.attempt) {
    const Attempt& attempt = this->attempt({judged.task, *judged.attempt});
    judged.segment = attempt.segment;
    judged.is_running = attempt.state == AttemptState::Running;
  }
  observe_spent(judged.task.job, judged.worth);
  judged.at = now;
  judged.spent = job.spent;
  judged.is_divided_more = job.is_divided_more;
  judged_.push_back(judged);
  --unjudged_;
}

void Cluster::observe_spent(JobId id, const Worth& worth) {
  if (worth.is_binding) job(id).spent += std::max(0.0, worth.price);
}

void Cluster::observe_divided_no_more(JobId id) { job(id).is_divided_more = false; }

void Cluster::observe_decision_dropped(JobId id) { ++job(id).decisions_dropped; }

void Cluster::observe_adopted(const AttemptProgress& progress, TimePoint now) {
  Attempt* attempt = live_attempt(progress.attempt);
  if (attempt == nullptr) return;
  advance(*attempt, progress, recent_window(job(progress.attempt.task.job).spec), now);
  attempt->adopted = true;
  begin_unseen(*attempt);
}

// That it has begun may have been told to the last master, and the worker says so only once.
void Cluster::begin_unseen(Attempt& attempt) {
  if (attempt.state == AttemptState::Running || attempt.standby || attempt.offset == attempt.start_offset) return;
  attempt.state = AttemptState::Running;
  attempt.ready_at = attempt.started_at = attempt.launched_at;
  attempt.earlier = attempt.later = {attempt.launched_at, attempt.start_offset};
}

void Cluster::observe_restart(TimePoint now) {
  if (epoch_ > 1) taken_over_at_ = now;
  for (auto& [id, node] : nodes_) {
    node.state = NodeState::Silent;
    node.synchronised = false;
    node.idle_runners.clear();
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
