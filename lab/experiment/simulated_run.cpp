#include "lab/experiment/simulated_run.h"

#include <algorithm>
#include <set>

#include "lab/experiment/job_rows.h"
#include "master/explanation.h"
#include "master/job_view.h"
#include "scheduler/core/account.h"
#include "lab/scenario/policy_choice.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab::experiment {
namespace {

constexpr std::uint64_t kRecordBytes = 64;
constexpr double kCutTimeout = 3;  // as in the master

std::vector<lab::NodeGroup> simulated_nodes(const Scenario& scenario) {
  std::vector<lab::NodeGroup> nodes;
  for (const NodeGroup& group : scenario.nodes) {
    nodes.push_back({group.count, group.slots, lab::Distribution::constant(1), group.name});
  }
  return nodes;
}

// Everything about the group but its jobs.
Result<lab::JobGroup> group_of(const Scenario& scenario, const Run& run, std::uint32_t index, JobKind kind,
                                     const Baselines& baselines) {
  const JobGroup& from = scenario.jobs[index];
  lab::JobGroup group;
  group.name = from.application;  // jobs of one name learn from each other
  for (const auto& [key, value] : from.parameters) group.name += " " + key + "=" + value;
  group.split_bytes = std::max<std::uint64_t>(1, from.task_bytes / kRecordBytes) * kRecordBytes;
  group.record_bytes = kRecordBytes;
  group.duration =
      lab::Distribution::constant(scenario.injection.pace > Duration(0) ? seconds(scenario.injection.pace) : 1.0);
  group.attempt_timeout = from.attempt_timeout;
  group.checkpoint = from.checkpoint;
  if (kind == JobKind::WarmUp) {
    group.deadline = scenario.warm_up.time;
    group.kill_on_miss = true;
  }
  if (kind != JobKind::Counted) return group;
  if (!run.is_measurement) group.deadline = deadline_of(scenario, index, baselines);
  const auto text = policy_text(run.policy, scenario, index, baselines);
  if (!text) return text.error();
  const auto choice = lab::read_policy(*text);
  if (!choice) return choice.error();
  group.policy = choice->name;
  group.policy_parameters = choice->parameters;
  return group;
}

Result<lab::Scenario> scenario_of(const Scenario& scenario, const Run& run, const Baselines& baselines) {
  lab::Scenario simulated;
  simulated.nodes = simulated_nodes(scenario);
  simulated.jobs.clear();
  simulated.injection = scenario.injection;
  simulated.injection->seed = run.seed;
  simulated.launch = lab::Distribution::constant(scenario.launch);
  simulated.network_delay = lab::Distribution::constant(scenario.network_delay);
  simulated.heartbeat = scenario.heartbeat;
  simulated.node_timeout = scenario.node_timeout;
  simulated.cut_timeout = kCutTimeout;
  simulated.horizon = scenario.limit;
  std::set<std::pair<JobKind, std::uint32_t>> added;
  for (const PlannedJob& job : run.jobs) {
    if (!added.insert({job.kind, job.group}).second) continue;
    auto group = group_of(scenario, run, job.group, job.kind, baselines);
    if (!group) return group.error();
    for (const PlannedJob& other : run.jobs) {
      if (other.kind == job.kind && other.group == job.group) group->trace.push_back({other.at, other.tasks});
    }
    group->count = static_cast<std::uint32_t>(group->trace.size());
    simulated.jobs.push_back(std::move(*group));
  }
  if (const Status good = lab::check(simulated); !good) return good.error();
  return simulated;
}

// What the master would tell about a job.
wire::Reply::Job describe(JobId id, const scheduler::Scheduler& scheduler) {
  const scheduler::Cluster& cluster = scheduler.cluster();
  const scheduler::Job& job = *cluster.find_job(id);
  const master::FailureMessages no_messages;
  wire::Reply::Job reply;
  *reply.mutable_summary() = master::summary_of(id, job, job.ended_at, master::ShowCounters::No);
  *reply.mutable_account() = master::view_of(scheduler::account(job, job.ended_at));
  master::Explanation(cluster, job, job.ended_at).tally(reply);
  const master::TaskViews views(cluster, no_messages);
  for (std::uint32_t next = 0;;) {
    reply.set_next_task(0);
    views.append_to(reply, id, job, next);
    next = reply.next_task();
    if (next == 0) return reply;
  }
}

}  // namespace

Result<Results> simulate(const Scenario& scenario, const Run& run, const Baselines& baselines) {
  const auto simulated = scenario_of(scenario, run, baselines);
  if (!simulated) return simulated.error();
  Results results;
  std::vector<bool> is_told(run.jobs.size(), false);
  const auto context_of = [&](std::size_t index) {
    const PlannedJob& planned = run.jobs[index];
    const RowKey key{run.policy.name, run.repetition, static_cast<std::uint32_t>(index + 1)};
    return JobContext{key, &planned, &scenario.jobs[planned.group], 0};
  };
  lab::Observer observer;
  observer.forecast_at = scenario.forecast_at;
  observer.ended = [&](JobId id, const scheduler::Scheduler& scheduler) {
    add_rows(results, context_of(id.value - 1), describe(id, scheduler));
    is_told[id.value - 1] = true;
  };
  const lab::Outcome outcome = lab::run(*simulated, run.seed, observer);
  if (!outcome.broken.empty()) return failed("the simulation of " + run.policy.name + ": " + outcome.broken[0]);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const double deadline = run.is_measurement ? 0 : deadline_of(scenario, run.jobs[i].group, baselines);
    if (!is_told[i]) add_unfinished(results, context_of(i), deadline);
    if (i >= outcome.jobs.size() || run.jobs[i].kind != JobKind::Counted) continue;
    for (const lab::ForecastReading& reading : outcome.jobs[i].forecasts) {
      ForecastRow row;
      static_cast<RowKey&>(row) = context_of(i).key;
      row.share = reading.share;
      row.pocd = reading.pocd;
      results.forecasts.push_back(row);
    }
  }
  settle_forecasts(results);
  return results;
}

}  // namespace ontime::lab::experiment
