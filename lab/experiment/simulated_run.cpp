#include <algorithm>
#include <set>
#include <utility>

#include "lab/experiment/job_rows.h"
#include "lab/experiment/plan.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"
#include "master/clients/explanation.h"
#include "master/clients/views.h"
#include "scheduler/core/account.h"

namespace ontime::lab::experiment {
namespace {

// The jobs of a group that are of a kind. What the policies are told of them is settled: deadline, policy, $NAMES.
Result<JobGroup> group_of(const Scenario& scenario, const Run& run, std::uint32_t index, JobKind kind,
                          const Baselines& baselines) {
  JobGroup group = scenario.jobs[index];
  group.name = group.work.application;  // jobs of one name learn from each other
  for (const auto& [key, value] : group.work.parameters) group.name += " " + key + "=" + value;
  group.size.split_bytes =
      std::max<std::uint64_t>(1, group.size.split_bytes / group.size.record_bytes) * group.size.record_bytes;
  group.arrivals = {};
  group.deadline.medians = 0;
  group.trace.clear();
  for (const PlannedJob& job : run.jobs) {
    if (job.kind == kind && job.group == index) group.trace.push_back({job.at, job.tasks});
  }
  group.count = static_cast<std::uint32_t>(group.trace.size());
  auto settings = settings_of(scenario, run, index, kind, baselines);
  if (!settings) return settings.error();
  group.handling = *std::move(settings);
  group.deadline.seconds = seconds(std::exchange(group.handling.deadline, Duration::zero()));
  return group;
}

// The scenario with the jobs of the run.
Result<Scenario> scenario_of(Scenario scenario, const Run& run, const Baselines& baselines) {
  std::vector<JobGroup> groups;
  std::set<std::pair<JobKind, std::uint32_t>> added;
  for (const PlannedJob& job : run.jobs) {
    if (!added.insert({job.kind, job.group}).second) continue;
    auto group = group_of(scenario, run, job.group, job.kind, baselines);
    if (!group) return group.error();
    groups.push_back(std::move(*group));
  }
  scenario.jobs = std::move(groups);
  scenario.injection->seed = run.seed;
  if (const Status good = check(scenario); !good) return good.error();
  return scenario;
}

// What the master would tell about a job.
wire::Reply::Job describe(JobId id, const scheduler::Scheduler& scheduler) {
  const scheduler::Cluster& cluster = scheduler.cluster();
  const scheduler::Job& job = *cluster.find_job(id);
  const master::AttemptMessages no_messages;
  wire::Reply::Job reply;
  *reply.mutable_summary() = master::summary_of(id, job, job.ended_at, master::ShowCounters::No);
  *reply.mutable_account() = master::view_of(scheduler::account(job, job.ended_at));
  master::Explanation(cluster, job, job.ended_at).tally(reply);
  const master::TaskViews views(cluster, no_messages);
  for (std::uint32_t next = 0;;) {
    reply.set_next_task(0);
    views.append_to(reply, id, job, {.first = next});
    next = reply.next_task();
    if (next == 0) return reply;
  }
}

}  // namespace

Result<Results> simulate(const Scenario& scenario, const Run& run, const Baselines& baselines,
                         const std::function<bool()>& stop) {
  const auto simulated = scenario_of(scenario, run, baselines);
  if (!simulated) return simulated.error();
  Results results;
  std::vector<bool> is_told(run.jobs.size(), false);
  Observer observer;
  observer.forecast_at = scenario.forecast_at;
  observer.stop = stop;
  observer.ended = [&](JobId id, const scheduler::Scheduler& scheduler) {
    add_rows(results, context_of(scenario, run, id.value - 1), describe(id, scheduler));
    is_told[id.value - 1] = true;
  };
  const Outcome outcome = lab::run(*simulated, run.seed, observer);
  if (outcome.is_stopped) return failed("interrupted");
  if (!outcome.broken.empty()) return failed("the simulation of " + run.policy.name + ": " + outcome.broken[0]);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const double deadline = run.is_measurement ? 0 : deadline_of(scenario, run.jobs[i].group, baselines);
    if (!is_told[i]) add_unfinished(results, context_of(scenario, run, i), deadline);
    if (i >= outcome.jobs.size() || run.jobs[i].kind != JobKind::Counted) continue;
    for (const ForecastReading& reading : outcome.jobs[i].forecasts) {
      auto row = context_of(scenario, run, i).key.begin<ForecastRow>();
      row.share = reading.share;
      row.pocd = reading.pocd;
      results.forecasts.push_back(row);
    }
  }
  settle_forecasts(results);
  return results;
}

}  // namespace ontime::lab::experiment
