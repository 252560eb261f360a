// What failures mean. One node cannot tell its own fault from the job's, so blame follows the evidence: what fails on
// one node and goes well on others is the node's; what fails on several nodes is the job's.
#include <algorithm>

#include "common/base/wording.h"
#include "scheduler/core/application_master.h"
#include "scheduler/core/timers.h"

namespace ontime::scheduler {
namespace {

constexpr const char* kLeftOut = "its input is left out";

constexpr Duration kAvoidedFirst = std::chrono::seconds(1);
constexpr Duration kAvoidedMost = std::chrono::minutes(1);
constexpr Duration kMayBeBack = std::chrono::minutes(1);  // a lost node, since it was given up
constexpr std::size_t kFirstFailuresKept = 256;
constexpr std::size_t kFirstMessageBytes = 4096;
// A segment takes its workers down if it was on this share of the nodes that were lost since it lost its first, those
// left aside that its job's other tasks were on.
constexpr std::uint32_t kGuiltyOf = 5;
constexpr std::uint32_t kGuiltyShare = 4;
constexpr std::uint32_t kGuiltyInAnyCase = 4;  // times as many in a row: others' jobs may be as deadly

// Its fault may be the node's.
bool blames_node(FailureKind kind) {
  return kind == FailureKind::Storage || kind == FailureKind::Away || kind == FailureKind::Missing ||
         kind == FailureKind::Node;
}

}  // namespace

namespace {

// A worker that was started again is another node.
bool has_successor(const Cluster& cluster, const Node& lost) {
  return std::any_of(cluster.nodes().begin(), cluster.nodes().end(), [&](const auto& entry) {
    const Node& node = entry.second;
    return node.state == NodeState::Live && node.name == lost.name && node.host == lost.host;
  });
}

}  // namespace

// No other node is there or may come back soon: after a restart of the master the first one to register is not the only
// one, even if the others were never written down, and a node that was lost a moment ago may have been slow.
bool ApplicationMaster::are_all(const Cluster& cluster, const std::vector<NodeId>& tried, TimePoint now) {
  if (cluster.taken_over_at() && now - *cluster.taken_over_at() < kMayBeBack) return false;
  return std::all_of(cluster.nodes().begin(), cluster.nodes().end(), [&](const auto& entry) {
    const auto& [id, node] = entry;
    if (node.duty != Duty::Serves || std::find(tried.begin(), tried.end(), id) != tried.end()) return true;
    return node.state == NodeState::Lost && (now - node.lost_at >= kMayBeBack || has_successor(cluster, node));
  });
}

std::vector<NodeId> ApplicationMaster::nodes_that_failed(const Cluster& cluster, TaskId id,
                                                         std::uint64_t segment) const {
  std::vector<NodeId> nodes;
  for (const Attempt& attempt : cluster.find_task(id)->attempts) {
    if (attempt.state != AttemptState::Failed || !attempt.held.contains(segment)) continue;
    if (std::find(nodes.begin(), nodes.end(), attempt.node) == nodes.end()) nodes.push_back(attempt.node);
  }
  return nodes;
}

std::vector<NodeId> ApplicationMaster::nodes_refuted_by(const Cluster& cluster, TaskId id, std::uint64_t begin) const {
  std::vector<NodeId> nodes;
  for (const Attempt& attempt : cluster.find_task(id)->attempts) {
    if (attempt.state == AttemptState::Failed && attempt.held.begin == begin) nodes.push_back(attempt.node);
  }
  return nodes;
}

std::vector<NodeId> ApplicationMaster::troubled(TimePoint now) const {
  std::vector<NodeId> nodes(missing_.begin(), missing_.end());
  for (const auto& [node, trouble] : troubles_) {
    if (now < trouble.until) nodes.push_back(node);
  }
  return nodes;
}

std::vector<NodeId> ApplicationMaster::nodes_to_avoid(const Cluster& cluster, SegmentKey key, TimePoint now) const {
  std::vector<NodeId> nodes = nodes_that_failed(cluster, task_id(key.task), key.begin);
  const std::vector<NodeId> more = troubled(now);
  nodes.insert(nodes.end(), more.begin(), more.end());
  return nodes;
}

// Evidence against the job and for the node: a job that works nowhere is at fault itself.
bool ApplicationMaster::works_elsewhere(NodeId node) const { return proven_.size() > proven_.count(node); }

// The pause doubles so that a node with a lasting fault is hardly tried, and one with a short fault is back soon. After
// a seal there the pauses begin anew. Only this job avoids the node; NodeHealth decides for all jobs.
void ApplicationMaster::avoid(NodeId node, TimePoint now) {
  Trouble& trouble = troubles_[node];
  Duration pause = kAvoidedFirst;
  for (std::uint32_t times = trouble.times; times > 0 && pause < kAvoidedMost; --times) pause *= 2;
  ++trouble.times;
  trouble.until = now + std::min(pause, kAvoidedMost);
}

// How many attempts have failed on the segment without counting against it.
std::uint32_t ApplicationMaster::count_excused(const Task& task, std::uint64_t begin) {
  const auto failed = std::count_if(task.attempts.begin(), task.attempts.end(), [&](const Attempt& attempt) {
    return attempt.state == AttemptState::Failed && attempt.held.contains(begin);
  });
  const std::uint32_t counted = task.ledger.find(begin)->failures;
  return static_cast<std::uint32_t>(failed) - std::min(static_cast<std::uint32_t>(failed), counted);
}

// While another attempt works on the segment nothing speaks against it. Nor does a store that is away, as often as it
// may fail; nor a node that could not start its attempt, as long as there is a node that has not tried.
bool ApplicationMaster::is_excused(const StepBuilder& step, AttemptId id, FailureKind kind) const {
  const Cluster& cluster = step.cluster;
  const Attempt& attempt = *cluster.find_attempt(id);
  const std::vector<AttemptId> racing = cluster.racing(id.task, attempt.held.begin);
  if (racing.size() > 1 || (racing.size() == 1 && racing.front() != id)) return true;
  if (kind == FailureKind::Away) {
    const std::uint32_t most = cluster.find_job(job_)->spec.attempts_max;
    return count_excused(*cluster.find_task(id.task), attempt.held.begin) < most;
  }
  if (kind != FailureKind::Node) return false;
  std::vector<NodeId> tried = nodes_that_failed(cluster, id.task, attempt.held.begin);
  tried.push_back(attempt.node);
  return !are_all(cluster, tried, step.now);
}

std::string ApplicationMaster::on_attempt_failed(StepBuilder& step, AttemptId id, FailureKind kind,
                                                 const std::string& message) {
  const Attempt& attempt = *step.cluster.find_attempt(id);
  const std::uint64_t begin = attempt.held.begin;
  const NodeId node = attempt.node;
  const std::string& where = step.cluster.find_node(node)->name;
  const Job& job = *step.cluster.find_job(job_);
  const std::string why = message.substr(0, kFirstMessageBytes);
  const bool is_flawed = leaves_out(job.spec, kind) && (kind == FailureKind::Data || are_agreed(step, id, kind));
  if (is_flawed && may_leave_out(job, why)) return leave_out(step, id, why);
  // Every node would find the same bytes, so retries would only waste time.
  if (kind == FailureKind::Data) {
    step.record(fact::AttemptEnded{id, AttemptEnd::Fatal, message});
    return to_string(id.task) + ": " + message;
  }
  const bool excused = is_excused(step, id, kind);
  const AttemptEnd counted = kind == FailureKind::Stalled ? AttemptEnd::Stalled : AttemptEnd::Failed;
  step.record(fact::AttemptEnded{id, excused ? AttemptEnd::Excused : counted, message});
  // The first failure is what the user needs to see: later ones are often its consequences.
  if (first_failures_.size() < kFirstFailuresKept) {
    first_failures_.try_emplace(id.task.index, FirstFailure{where, message.substr(0, kFirstMessageBytes)});
  }
  if (blames_node(kind)) avoid(node, step.now);
  if (kind == FailureKind::Missing) {
    if (missing_.empty()) why_missing_ = to_string(id.task) + " on " + where + ": " + message;
    missing_.insert(node);
    proven_.erase(node);  // it has lost it since
    if (std::string nowhere = why_missing(step); !nowhere.empty()) return nowhere;
  }
  if (excused) return {};
  const std::uint32_t failures = step.cluster.find_task(id.task)->ledger.find(begin)->failures;
  if (failures < job.spec.attempts_max) return {};
  const std::string often = to_string(id.task) + " failed " + ontime::counted(failures, "time");
  const auto first = first_failures_.find(id.task.index);
  if (first == first_failures_.end() || failures == 1) return often + ", on " + where + ": " + message;
  return often + "; the first time on " + first->second.where + ": " + first->second.message;
}

// What one node does not find or may not read, another may: so each says it for itself, or as many as may fail.
bool ApplicationMaster::are_agreed(const StepBuilder& step, AttemptId id, FailureKind kind) {
  const Task& task = *step.cluster.find_task(id.task);
  const Attempt& attempt = task.attempts[id.number];
  std::set<NodeId>& without = without_input_[task.file];
  without.insert(attempt.node);
  const std::vector<NodeId> nodes(without.begin(), without.end());
  const std::uint32_t failures = task.ledger.find(attempt.held.begin)->failures + (is_excused(step, id, kind) ? 0 : 1);
  const std::uint32_t most = step.cluster.find_job(job_)->spec.attempts_max;
  return nodes.size() >= most || failures >= most || are_all(step.cluster, nodes, step.now);
}

bool ApplicationMaster::may_leave_out(const Job& job, const std::string& why) {
  std::size_t text = why.size();
  for (const auto& [path, known] : job.spec.skip.inputs) text += path.size() + known.size();
  for (const auto& [file, known] : job.left_out) text += job.spec.inputs[file].path.size() + known.size();
  return job.spec.skip.inputs.size() + job.left_out.size() < kLeftOutMax && text <= kLeftOutTextMax;
}

// Its other tasks would be mapped for nothing, so they end too. An attempt that no worker hears of stands for each of
// those that were never launched, unless the node takes none any more: then they are launched as others are.
std::string ApplicationMaster::leave_out(StepBuilder& step, AttemptId id, const std::string& why) {
  const NodeId node = step.cluster.find_attempt(id)->node;
  step.record(fact::AttemptEnded{id, AttemptEnd::Failed, why});
  close_left_out(step, id, why);
  const Job& job = *step.cluster.find_job(job_);
  const std::uint32_t file = step.cluster.find_task(id.task)->file;
  const auto is_of_it = [&](std::uint32_t index) { return step.cluster.find_task(task_id(index))->file == file; };
  std::uint32_t index = id.task.index;
  while (index > 0 && is_of_it(index - 1)) --index;  // tasks are in the order of their inputs
  for (; index < task_count_ && is_of_it(index); ++index) {
    const Task& task = *step.cluster.find_task(task_id(index));
    if (task.ledger.is_done()) continue;
    if (task.attempts.empty()) {
      if (step.cluster.find_node(node)->duty != Duty::Serves) continue;
      const AttemptId never{task_id(index), 0};
      step.record(fact::AttemptLaunched{never, node, task.ledger.find(task.ledger.split().begin)->range});
      step.record(fact::AttemptEnded{never, AttemptEnd::Killed, kLeftOut});
      next_fresh_ = std::max(next_fresh_, index + 1);  // the file's others before it were launched, or end here too
    }
    const auto attempts = static_cast<std::uint32_t>(step.cluster.find_task(task_id(index))->attempts.size());
    close_left_out(step, {task_id(index), attempts - 1}, why);
  }
  return job.left_out.size() < job.spec.inputs.size() ? "" : "each input was to be left out: " + why;
}

void ApplicationMaster::close_left_out(StepBuilder& step, AttemptId id, const std::string& why) {
  const auto attempts = static_cast<std::uint32_t>(step.cluster.find_task(id.task)->attempts.size());
  for (std::uint32_t number = 0; number < attempts; ++number) {
    end_attempt(step, {id.task, number}, AttemptEnd::Killed, kLeftOut);
  }
  step.record(fact::InputLeftOut{id, why});
  refresh(step.cluster, id.task);
}

// No node is left that might have what the job needs, or so many have not that it must be the job's fault; but not
// while there is a node that had it.
std::string ApplicationMaster::why_missing(const StepBuilder& step) const {
  if (!proven_.empty()) return {};
  const std::vector<NodeId> missing(missing_.begin(), missing_.end());
  if (missing.size() < step.cluster.find_job(job_)->spec.attempts_max && !are_all(step.cluster, missing, step.now)) {
    return {};
  }
  if (missing.size() == 1) return why_missing_;
  return why_missing_ + "; " + std::to_string(missing.size()) + " nodes say so";
}

namespace {

// The worker was lost for good, and the attempt may be why: it was there for most of the silence that the worker was
// given up for. All workers fall silent when the network is slow, and what was lost on one is given to the next.
bool may_have_taken_down(const Node* node, const Attempt& attempt) {
  if (node == nullptr) return true;
  if (node->state != NodeState::Lost || node->heard_at > attempt.ended_at) return false;
  return attempt.ended_at - attempt.launched_at >= (attempt.ended_at - node->heard_at) / 2;
}

// How often the segment that begins there took another worker down, one after the other. An attempt that was there
// before the last of them was lost counts with that one: a power cut of a rack silences all copies.
std::uint32_t workers_taken_down(const Cluster& cluster, const Task& task, std::uint64_t begin) {
  std::vector<const Attempt*> lost;
  for (const Attempt& attempt : task.attempts) {
    if (attempt.state != AttemptState::Lost || attempt.held.begin != begin) continue;
    if (may_have_taken_down(cluster.find_node(attempt.node), attempt)) lost.push_back(&attempt);
  }
  std::sort(lost.begin(), lost.end(), [](const Attempt* a, const Attempt* b) { return a->ended_at < b->ended_at; });
  std::uint32_t taken = 0;
  TimePoint last{};
  for (const Attempt* attempt : lost) {
    if (taken > 0 && attempt->launched_at < last) continue;
    ++taken;
    last = attempt->ended_at;
  }
  return taken;
}

}  // namespace

// Workers taken down while hardly any other was lost. Without another worker to compare with it takes twice as many.
std::string ApplicationMaster::on_node_lost(StepBuilder& step, const ResourceManager& nodes, AttemptId id) {
  const Task& task = *step.cluster.find_task(id.task);
  const Attempt& attempt = task.attempts[id.number];
  if (!may_have_taken_down(step.cluster.find_node(attempt.node), attempt)) return {};
  const std::uint64_t begin = attempt.held.begin;
  const std::uint32_t taken = workers_taken_down(step.cluster, task, begin);
  // The other nodes that were lost since the first of the row are the comparison: in a cluster that loses nodes all the
  // time this segment proves nothing.
  if (taken <= 1) lost_before_[id.task.index] = lost_elsewhere_;
  const std::uint32_t elsewhere = lost_elsewhere_ - lost_before_[id.task.index];
  const std::uint32_t attempts_max = step.cluster.find_job(job_)->spec.attempts_max;
  if (taken < attempts_max * (nodes.usable_nodes() > 0 ? 1 : 2)) return {};
  const bool stands_out = taken * kGuiltyOf >= (taken + elsewhere) * kGuiltyShare;
  if (!stands_out && taken < attempts_max * kGuiltyInAnyCase) return {};
  return to_string(id.task) + " took " + std::to_string(taken) + " workers down, " +
         step.cluster.find_node(attempt.node)->name +
         " was the last one: each was lost while it mapped the bytes from offset " + std::to_string(begin) +
         " on; does an attempt need more memory than its worker has?";
}

// The limit may change as the job shows how fast it is: an attempt is looked at again and again.
void ApplicationMaster::watch_progress(StepBuilder& step, AttemptId id) {
  if (const std::optional<TimePoint> due = progress_due(step.cluster, id)) {
    step.timers.arm(stall_of(id), std::min(*due, step.now + kStallCheck));
  }
}

// Nothing if the job has said that its records may take any time.
std::optional<TimePoint> ApplicationMaster::progress_due(const Cluster& cluster, AttemptId id) const {
  const Attempt& attempt = *cluster.find_attempt(id);
  const Segment* segment = cluster.find_task(id.task)->ledger.find(attempt.held.begin);
  const auto limit = progress_limit(*cluster.find_job(job_), attempt, *segment, outlook_.sample());
  return limit ? std::optional(attempt.progressed_at + *limit) : std::nullopt;
}

std::string ApplicationMaster::on_progress_check(StepBuilder& step, AttemptId id) {
  const Attempt* attempt = step.cluster.find_live(id);
  if (attempt == nullptr) return {};
  // A ready standby makes no progress because it was not told to begin. That is the master's doing and not its own.
  const bool waits_to_begin = attempt->standby && attempt->ready_at != TimePoint{};
  const std::optional<TimePoint> due = progress_due(step.cluster, id);
  if (!due) return {};
  if (waits_to_begin || step.now < *due) {
    step.timers.arm(stall_of(id), waits_to_begin ? step.now + kStallCheck : std::min(*due, step.now + kStallCheck));
    return {};
  }
  const auto stood = static_cast<long long>(seconds(step.now - attempt->progressed_at));
  if (attempt->offset >= attempt->held.end) {
    return "has not sealed for " + std::to_string(stood) + " s what it has mapped, up to offset " +
           std::to_string(attempt->offset) +
           "; if its output may take that long, submit with a longer --attempt-timeout, or never";
  }
  return "made no progress for " + std::to_string(stood) + " s at offset " + std::to_string(attempt->offset) +
         "; if one record may take that long, submit with a longer --attempt-timeout, or never";
}

}  // namespace ontime::scheduler
