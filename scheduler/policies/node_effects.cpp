#include "scheduler/policies/node_effects.h"

#include <algorithm>
#include <cmath>

#include "common/base/median.h"

namespace ontime::scheduler {
namespace {

// That nodes are alike is assumed until attempts have shown otherwise: it counts as so many attempts that differ within
// a node as all do.
constexpr double kAlike = 1;
// Means of a node's few attempts differ by chance: beyond one times what is expected of them, they do so with a
// probability of a half; beyond so many times, seldom.
constexpr double kByChance = 2;

struct Group {
  double count = 0;
  double sum = 0;
  double mean() const { return sum / count; }
};

}  // namespace

NodeEffects::NodeEffects(const std::vector<Seen>& attempts) {
  std::map<NodeId, Group> groups;
  std::vector<double> all;
  double sum = 0;
  for (const Seen& seen : attempts) {
    Group& group = groups[seen.node];
    ++group.count;
    group.sum += seen.ln_time;
    sum += seen.ln_time;
    all.push_back(seen.ln_time);
  }
  const auto count = static_cast<double>(attempts.size());
  const auto nodes = static_cast<double>(groups.size());
  if (nodes < 2 || count <= nodes) return;
  double total = 0;  // sums of squares
  double within = 0;
  double counts = 0;
  for (const Seen& seen : attempts) {
    total += std::pow(seen.ln_time - sum / count, 2);
    within += std::pow(seen.ln_time - groups[seen.node].mean(), 2);
  }
  for (const auto& [node, group] : groups) counts += group.count * group.count;
  const double typical = (count - counts / count) / (nodes - 1);  // attempts of a node
  const double rest = (within + kAlike * total / (count - 1)) / (count - nodes + kAlike);
  const double between = ((total - within) / (nodes - 1) - kByChance * rest) / typical;
  if (!(between > 0)) return;
  within_ = std::sqrt(rest / (rest + between));
  const double middle = median_of(std::move(all));
  for (const auto& [node, group] : groups) {
    effects_[node] = (group.mean() - middle) * group.count * between / (group.count * between + rest);
  }
}

double NodeEffects::of(NodeId node) const {
  const auto effect = effects_.find(node);
  return effect == effects_.end() ? 0 : effect->second;
}

namespace {

constexpr std::size_t kTasksLookedAt = 256;  // spread evenly: the first ones may all have run on the same nodes
constexpr double kTellsOfNode = 0.1;         // of its bytes, that an attempt must have mapped for that

// Of one attempt, starts left out, unless `usual` is 0: bytes are taken at once; 0: it has mapped too little.
double seconds_per_byte(const JobView& job, AttemptId id, const Attempt& attempt, double fixed, double usual) {
  const double mapped = static_cast<double>(attempt.offset) - static_cast<double>(attempt.start_offset);
  if (attempt.started_at == TimePoint{} || attempt.launch_end == kUnknownEnd) return 0;
  const auto whole = static_cast<double>(attempt.launch_end - attempt.start_offset);
  if (is_live(attempt.state)) {
    const Pace pace = job.outlook->pace(id, attempt);
    if (pace.known && pace.rate > 0) return 1 / pace.rate;
    // What is taken at once takes at least as long as it has taken by now.
    if (usual == 0) return job.outlook->is_late_without_pace(attempt) ? seconds(attempt.segment.age) / whole : 0;
    // Whose start takes longer than others' is as slow at its bytes, as far as anybody knows.
    return job.outlook->is_late_without_pace(attempt) && fixed > 0 ? usual * seconds(attempt.segment.age) / fixed : 0;
  }
  if (mapped < kTellsOfNode * whole) return 0;
  const bool is_whole = attempt.state == AttemptState::Succeeded;
  const double took = seconds((is_whole ? attempt.ended_at : attempt.progressed_at) - attempt.started_at);
  if (usual == 0) return is_whole ? took / mapped : 0;
  return std::max(0.0, std::max(took / 2, took - fixed)) / mapped;
}

}  // namespace

NodeEffects node_effects_of(const View& view, const JobView& job) {
  const double fixed = job.outlook->fixed(view.cluster, *job.job, math::Beginning::Cold);
  const double usual = job.outlook->usual_per_byte(view.cluster, *job.job);
  std::vector<NodeEffects::Seen> seen;
  const std::span<const Task> tasks = job.job->tasks.made();
  const auto step = static_cast<std::uint32_t>(1 + job.job->tasks.size() / kTasksLookedAt);
  for (std::uint32_t index = 0; index < tasks.size(); index += step) {
    for (std::uint32_t number = 0; number < tasks[index].attempts.size(); ++number) {
      const Attempt& attempt = tasks[index].attempts[number];
      const double time = seconds_per_byte(job, {{job.id, index}, number}, attempt, fixed, usual);
      if (time > 0) seen.push_back({attempt.node, std::log(time)});
    }
  }
  return NodeEffects(seen);
}

}  // namespace ontime::scheduler
