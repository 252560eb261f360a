#include "lab/foresight/recorded_job.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/base/median.h"
#include "scheduler/core/account.h"

namespace ontime::lab {
namespace {

using scheduler::Attempt;
using scheduler::Cluster;
using scheduler::Job;
using scheduler::Task;
using scheduler::math::DurationSample;

constexpr TimePoint kNever{};
// An attempt that mapped less of its split says little about how long it would have taken.
constexpr double kTellingShare = 0.05;
constexpr double kMappedLeast = 0.05;  // of its time, whatever its starts took

// Seconds per byte; 0: not known.
double pace_of(const Task& task, const Attempt& attempt) {
  if (attempt.offset <= attempt.start_offset) return 0;
  const double bytes = static_cast<double>(attempt.offset - attempt.start_offset);
  if (bytes < kTellingShare * static_cast<double>(task.ledger.split().size())) return 0;
  // What a restart of the master forgot counts as mapping: launching is short against it.
  const TimePoint begin = attempt.started_at != kNever ? attempt.started_at : attempt.launched_at;
  const bool has_finished = attempt.state == scheduler::AttemptState::Succeeded;
  const TimePoint end = has_finished ? attempt.ended_at : attempt.progressed_at;
  const double elapsed = seconds(end - begin);
  return elapsed > 0 ? elapsed / bytes : 0;
}

// Without its starts, of which it had one for each segment that it sealed; `fixed` seconds each.
double pace_of_first(const Task& task, double fixed) {
  if (task.attempts.empty()) return 0;
  const double pace = pace_of(task, task.attempts.front());
  const Attempt& first = task.attempts.front();
  const double bytes = static_cast<double>(first.offset - first.start_offset);
  const auto sealed = std::count_if(task.ledger.segments().begin(), task.ledger.segments().end(),
                                    [](const scheduler::Segment& one) { return one.sealed && one.attempt == 0; });
  const double starts = fixed * std::max(1.0, static_cast<double>(sealed));
  return pace > 0 ? std::max(kMappedLeast * pace, pace - starts / bytes) : 0;
}

// Of all attempts, copies too.
DurationSample sample_of(const Job& job) {
  DurationSample sample;
  for (const Task& task : job.tasks.made()) {
    for (const Attempt& attempt : task.attempts) {
      if (const double pace = pace_of(task, attempt); pace > 0) sample.add_finished(pace);
      if (attempt.ready_at == kNever) continue;
      const double launch = std::max(0.0, seconds(attempt.ready_at - attempt.launched_at));
      if (attempt.is_warm) {
        sample.add_warm_launch(launch);
      } else {
        sample.add_launch(launch);
      }
    }
  }
  return sample;
}

JobGroup group_of(const Job& job, const DurationSample& known, TimePoint zero) {
  const scheduler::JobSpec& spec = job.spec;
  JobGroup group;
  group.name = job.profile_key.empty() ? spec.application : job.profile_key;
  group.arrivals.at = {seconds(job.submitted_at - zero)};
  group.size.split_bytes = spec.split_bytes;
  for (const scheduler::InputFile& file : spec.inputs) group.size.file_bytes.push_back(file.length());
  const std::uint64_t record = job.sealed_records > 0 ? job.sealed_bytes / job.sealed_records : 1;
  group.size.record_bytes = std::clamp<std::uint64_t>(record, 1, group.size.split_bytes);
  set_start(group, known);
  for (const Task& task : job.tasks.all()) {
    const double pace = pace_of_first(task, group.times.start.is_constant() ? 0 : group.times.start.median());
    group.times.first_durations.push_back(pace * static_cast<double>(group.size.split_bytes));
  }
  if (const auto fitted = fitted_durations(known, group.size.split_bytes))
    group.times.duration = distribution_of(fitted->tail);
  group.deadline.seconds = seconds(spec.deadline);
  group.handling = spec;
  group.handling.priority = 0;  // it orders the jobs of an owner, and here nobody owns any
  group.handling.attempt_timeout = std::min(spec.attempt_timeout, from_seconds(1e9));  // never is beyond every horizon
  return group;
}

bool has_unknown_length(const Job& job) {
  return std::any_of(job.spec.inputs.begin(), job.spec.inputs.end(),
                     [](const scheduler::InputFile& file) { return !file.knows_length(); });
}

// What is known of the application after the job, or of the job alone.
DurationSample known_of(const Cluster& cluster, const Job& job) {
  const DurationSample* profile = cluster.find_profile(job);
  return profile != nullptr && !profile->finished().empty() ? *profile : sample_of(job);
}

std::vector<NodeGroup> nodes_of(const Cluster& cluster, const Job& job) {
  std::vector<NodeGroup> nodes;
  const auto add = [&](const scheduler::Node& node) {
    nodes.emplace_back();
    nodes.back().slots = node.slots;
  };
  for (const auto& [id, node] : cluster.nodes()) {
    if (node.state == scheduler::NodeState::Live && node.duty == scheduler::Duty::Serves && node.slots > 0) add(node);
  }
  for (const NodeId id : nodes.empty() ? job.nodes : std::set<NodeId>{}) {
    if (const scheduler::Node* node = cluster.find_node(id); node != nullptr && node->slots > 0) add(*node);
  }
  return nodes;
}

void add_other_jobs(const Cluster& cluster, JobId id, TimePoint now, RecordedJob& recorded) {
  const Job& job = *cluster.find_job(id);
  const TimePoint end = scheduler::is_final(job.state) ? job.ended_at : now;
  const auto overlaps = [&](JobId other_id, const Job& other) {
    const bool is_later = other.submitted_at >= end;
    const bool is_earlier = scheduler::is_final(other.state) && other.ended_at <= job.submitted_at;
    return other_id != id && !is_later && !is_earlier && !has_unknown_length(other) && !other.tasks.empty();
  };
  TimePoint zero = job.submitted_at;
  for (const auto& [other_id, other] : cluster.jobs()) {
    if (overlaps(other_id, other)) zero = std::min(zero, other.submitted_at);
  }
  recorded.scenario.jobs.front().arrivals.at = {seconds(job.submitted_at - zero)};
  for (const auto& [other_id, other] : cluster.jobs()) {
    if (!overlaps(other_id, other)) continue;
    recorded.scenario.jobs.push_back(group_of(other, known_of(cluster, other), zero));
    ++recorded.other_jobs;
  }
}

void set_launch(const Job& job, const DurationSample& known, Scenario& scenario) {
  const DurationSample own = sample_of(job);
  const auto launches = own.launches().empty() ? known.launches() : own.launches();
  if (!launches.empty()) scenario.launch = Distribution::empirical({launches.begin(), launches.end()});
}

void tell_truth(const Job& job, TimePoint now, RecordedJob& recorded) {
  const scheduler::JobAccount account = scheduler::account(job, now);
  recorded.has_ended = scheduler::is_final(job.state);
  recorded.flow_time = seconds((recorded.has_ended ? job.ended_at : now) - job.submitted_at);
  recorded.met = job.state == scheduler::JobState::Succeeded && !job.missed_deadline(now);
  recorded.machine_time = seconds(account.time.total);
  recorded.tasks = job.tasks.size();
  recorded.attempts = job.attempts_launched;
  for (const Task& task : job.tasks.made()) {
    recorded.copies += static_cast<std::uint32_t>(
        std::count_if(task.attempts.begin(), task.attempts.end(), [](const Attempt& a) { return a.speculative; }));
  }
}

}  // namespace

Result<RecordedJob> recorded_job(const Cluster& cluster, JobId id, TimePoint now, const RecordedMaster& master,
                                 const RecordedJobOptions& options) {
  const Job* job = cluster.find_job(id);
  if (job == nullptr || job->tasks.empty()) return bad_input("the recording knows too little of " + to_string(id));
  if (has_unknown_length(*job)) {
    return bad_input(to_string(id) + " has compressed input, of which nobody knows where it ends: there is no telling");
  }
  const DurationSample known = known_of(cluster, *job);
  const auto fitted = fitted_durations(known, job->spec.split_bytes);
  if (!fitted) return bad_input("no attempt of " + to_string(id) + " got far enough to say how long one takes");
  RecordedJob recorded;
  Scenario& scenario = recorded.scenario;
  scenario.nodes = nodes_of(cluster, *job);
  scenario.jobs = {group_of(*job, known, job->submitted_at)};
  if (options.profile_before != nullptr) scenario.jobs.front().known.profile = *options.profile_before;
  scenario.heartbeat = seconds(master.heartbeat);
  scenario.node_timeout = seconds(master.node_timeout);
  scenario.cut_timeout = seconds(master.cut_timeout);
  scenario.placement = master.placement;
  scenario.keeps_runners = master.placement.warm_first;
  set_launch(*job, known, scenario);
  if (!options.alone) add_other_jobs(cluster, id, now, recorded);
  tell_truth(*job, now, recorded);
  for (const double duration : scenario.jobs.front().times.first_durations)
    recorded.durations_recorded += duration > 0 ? 1 : 0;
  recorded.drawn = fitted;
  if (Status good = check(scenario); !good) return good.error();
  return recorded;
}

std::optional<FittedDurations> fitted_durations(const scheduler::math::DurationSample& sample,
                                                std::uint64_t split_bytes) {
  scheduler::math::DurationHints hints;
  hints.tail = scheduler::math::TailRule::Auto;
  const auto bytes = static_cast<double>(split_bytes);
  const auto durations = scheduler::math::choose_durations(&sample, sample, {}, hints, bytes);
  if (durations.t_min <= 0) return std::nullopt;
  return FittedDurations{durations.distribution().scaled(bytes), durations};
}

void set_start(JobGroup& job, const DurationSample& known) {
  constexpr double kLeast = 0.01;
  const std::span<const double> cold = known.fixed(scheduler::math::Beginning::Cold);
  const std::span<const double> at_once = known.fixed(scheduler::math::Beginning::AtOnce);
  if (at_once.size() > cold.size()) job.times.reads_ahead = injection::kAllAhead;
  if (cold.empty() || known.finished().empty()) return;
  const double split = known.usual_finished() * static_cast<double>(job.size.split_bytes);
  if (median_of({cold.begin(), cold.end()}) > kLeast * split)
    job.times.start = Distribution::empirical({cold.begin(), cold.end()});
}

Distribution distribution_of(const scheduler::math::FittedTail& tail) {
  using scheduler::math::TailKind;
  if (tail.kind() == TailKind::Pareto) return Distribution::pareto(tail.first(), tail.second());
  if (tail.kind() == TailKind::Lognormal) return Distribution::lognormal(std::exp(tail.first()), tail.second());
  std::vector<Distribution::Knot> knots;
  for (const auto& knot : tail.knots()) knots.push_back({std::exp(knot.ln_t), std::exp(knot.ln_survival)});
  return Distribution::knotted(knots, tail.second());
}

double ascending_quantile(std::span<const double> ascending, double q) {
  if (ascending.empty()) return kForEver;
  const double rank = std::ceil(q * static_cast<double>(ascending.size())) - 1;
  const auto last = static_cast<double>(ascending.size() - 1);
  return ascending[static_cast<std::size_t>(std::clamp(rank, 0.0, last))];
}

Prospect foresee(const Scenario& scenario, const Runs& runs, std::uint64_t seed) {
  Prospect prospect;
  std::vector<JobOutcome> outcomes;
  while (prospect.runs < runs.least || (prospect.runs < runs.most && prospect.steps < runs.steps)) {
    const Outcome outcome = lab::run(scenario, seed + prospect.runs++);
    prospect.steps += outcome.steps;
    for (const JobOutcome& job : outcome.jobs) {
      if (job.group != 0) continue;
      outcomes.push_back(job);
      prospect.attempts += job.attempts;
      prospect.flow_times.push_back(job.has_ended() ? job.flow_time() : kForEver);
      if (job.has_ended()) continue;
      ++prospect.unfinished;
      prospect.followed = std::min(prospect.followed, outcome.ended - job.submitted);
    }
  }
  prospect.attempts /= prospect.runs;
  const Summary summary = summarise(outcomes);
  prospect.pocd = summary.pocd;
  prospect.machine_time = summary.machine_time;
  std::vector<double>& times = prospect.flow_times;
  std::sort(times.begin(), times.end());
  prospect.mean =
      times.empty() ? kForEver : std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  prospect.low = ascending_quantile(times, 0.1);
  prospect.median = ascending_quantile(times, 0.5);
  prospect.high = ascending_quantile(times, 0.9);
  return prospect;
}

}  // namespace ontime::lab
