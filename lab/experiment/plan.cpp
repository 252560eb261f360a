#include "lab/experiment/plan.h"

#include <algorithm>
#include <utility>

#include "common/base/wording.h"
#include "lab/results/interval.h"
#include "lab/results/writing.h"

namespace ontime::lab::experiment {
namespace {

void add_warm_up(const Scenario& scenario, std::vector<PlannedJob>& jobs) {
  std::vector<const JobGroup*> seen;
  for (std::uint32_t index = 0; index < scenario.jobs.size(); ++index) {
    const JobGroup& group = scenario.jobs[index];
    const bool is_known = std::any_of(seen.begin(), seen.end(), [&](const JobGroup* other) {
      return other->work.application == group.work.application && other->work.parameters == group.work.parameters;
    });
    if (group.role.is_noise || is_known) continue;
    seen.push_back(&group);
    for (std::uint32_t i = 0; i < scenario.warm_up.jobs; ++i) {
      jobs.push_back({index, JobKind::WarmUp, scenario.warm_up.tasks, 0});
    }
  }
}

std::vector<PlannedJob> jobs_in_order(const Scenario& scenario, std::uint64_t seed) {
  std::vector<PlannedJob> jobs;
  add_warm_up(scenario, jobs);
  const double begin = jobs.empty() ? 0 : scenario.warm_up.time;
  for (const lab::PlannedJob& job : lab::plan_jobs(scenario, seed)) {
    const bool is_noise = scenario.jobs[job.group].role.is_noise;
    jobs.push_back({job.group, is_noise ? JobKind::Noise : JobKind::Counted, job.tasks, begin + job.at});
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const PlannedJob& a, const PlannedJob& b) { return a.at < b.at; });
  return jobs;
}

bool comes_after_horizon(const PlannedJob& job, const Scenario& scenario) {
  return job.at >= scenario.horizon && job.at < kForEver;
}

}  // namespace

const char* name_of(JobKind kind) { return name_at<JobKind::WarmUp>(kind, "counted", "noise", "warm-up"); }

std::vector<PlannedJob> planned_jobs(const Scenario& scenario, std::uint64_t seed) {
  std::vector<PlannedJob> jobs = jobs_in_order(scenario, seed);
  std::erase_if(jobs, [&](const PlannedJob& job) { return comes_after_horizon(job, scenario); });
  return jobs;
}

std::size_t count_after_horizon(const Scenario& scenario) {
  const auto is_left_out = [&](const PlannedJob& job) {
    return job.kind == JobKind::Counted && comes_after_horizon(job, scenario);
  };
  std::ptrdiff_t count = 0;
  for (std::uint32_t repetition = 0; repetition < scenario.repeat; ++repetition)
    count += std::ranges::count_if(jobs_in_order(scenario, scenario.seed + repetition), is_left_out);
  return static_cast<std::size_t>(count);
}

double deadline_of(const Scenario& scenario, std::uint32_t group, const Baselines& baselines) {
  const JobGroup& jobs = scenario.jobs[group];
  if (jobs.deadline.medians <= 0) return jobs.deadline.seconds;
  const auto found = baselines.find(group);
  return found == baselines.end() ? 0 : jobs.deadline.medians * found->second.median;
}

Result<std::string> policy_text(const NamedPolicy& policy, const Scenario& scenario, std::uint32_t group,
                                const Baselines& baselines) {
  scheduler::StringMap values = scenario.jobs[group].role.values;
  if (const auto found = baselines.find(group); found != baselines.end()) {
    values["miss"] = number(found->second.miss);
    values["median"] = number(found->second.median);
  }
  std::optional<std::string> missing;
  const std::string text = fill_in(policy.text, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found != values.end()) return found->second;
    if (!missing) missing = name;
    return std::nullopt;
  });
  if (!missing) return text;
  return bad_input("policy '" + policy.name + "': $" + *missing + " stands for nothing in the jobs '" +
                   scenario.jobs[group].name + "'; say so under 'let'");
}

Result<PolicyChoice> chosen_policy(const NamedPolicy& policy, const Scenario& scenario, std::uint32_t group,
                                   const Baselines& baselines) {
  const auto text = policy_text(policy, scenario, group, baselines);
  return text ? read_policy(*text) : text.error();
}

Result<JobSettings> settings_of(const Scenario& scenario, const Run& run, std::uint32_t group, JobKind kind,
                                const Baselines& baselines) {
  JobSettings settings = scenario.jobs[group].handling;
  if (kind == JobKind::WarmUp) {
    settings.deadline = from_seconds(scenario.warm_up.time);
    settings.kill_on_miss = true;
  }
  if (kind != JobKind::Counted) return settings;
  if (!run.is_measurement) settings.deadline = from_seconds(deadline_of(scenario, group, baselines));
  auto choice = chosen_policy(run.policy, scenario, group, baselines);
  if (!choice) return choice.error();
  settings.policy = std::move(choice->name);
  settings.policy_parameters = std::move(choice->parameters);
  return settings;
}

std::vector<Run> plan_measurements(const Scenario& scenario) {
  std::vector<Run> runs;
  for (const JobGroup& group : scenario.jobs) {
    const std::string& wanted = group.deadline.medians_of;
    const auto is_there = [&](const auto& thing) { return thing.name == wanted; };
    const bool is_planned = std::any_of(runs.begin(), runs.end(), [&](const Run& run) { return is_there(run.policy); });
    if (wanted.empty() || is_planned) continue;
    NamedPolicy policy{wanted, wanted};
    for (const auto* policies : {&scenario.policies, &scenario.not_run}) {
      if (const auto known = std::ranges::find_if(*policies, is_there); known != policies->end()) policy = *known;
    }
    for (std::uint32_t repetition = 1; repetition <= scenario.baseline_runs; ++repetition) {
      const std::uint64_t seed = scenario.seed + repetition - 1;
      runs.push_back({policy, repetition, true, seed, planned_jobs(scenario, seed)});
    }
  }
  return runs;
}

void add_baselines(Baselines& baselines, const Scenario& scenario, const std::string& policy, const Results& measured) {
  for (std::uint32_t index = 0; index < scenario.jobs.size(); ++index) {
    const JobGroup& group = scenario.jobs[index];
    if (group.deadline.medians_of != policy) continue;
    std::vector<double> times;
    for (const JobRow& row : measured.jobs) {
      if (row.is_counted() && row.group == group.name && row.has_ended()) times.push_back(row.time);
    }
    if (times.empty()) continue;
    std::sort(times.begin(), times.end());
    Baseline& baseline = baselines[index];
    baseline.median = quantile_of(times, 0.5);
    const double deadline = group.deadline.medians * baseline.median;
    const auto missed = std::count_if(times.begin(), times.end(), [&](double time) { return time > deadline; });
    baseline.miss = static_cast<double>(missed) / static_cast<double>(times.size());
  }
}

std::vector<Run> plan_runs(const Scenario& scenario) {
  std::vector<Run> runs;
  for (std::uint32_t repetition = 1; repetition <= scenario.repeat; ++repetition) {
    const std::uint64_t seed = scenario.seed + repetition - 1;
    const std::vector<PlannedJob> jobs = planned_jobs(scenario, seed);
    for (const NamedPolicy& policy : scenario.policies) runs.push_back({policy, repetition, false, seed, jobs});
  }
  return runs;
}

}  // namespace ontime::lab::experiment
