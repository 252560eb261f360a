#include "lab/experiment/plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "common/injection/draw.h"
#include "lab/results/writing.h"
#include "lab/scenario/distribution.h"
#include "lab/scenario/policy_choice.h"
#include "lab/scenario/random.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab::experiment {
namespace {

// Of a factor that is drawn for each attempt; infinite if it has no mean.
double mean_of(const injection::Distribution& drawn) {
  using injection::Shape;
  switch (drawn.shape) {
    case Shape::Never:
      return 0;
    case Shape::Constant:
      return drawn.scale;
    case Shape::Pareto:
      return drawn.spread > 1 ? drawn.scale * drawn.spread / (drawn.spread - 1) : kForEver;
    case Shape::Lognormal:
      return drawn.scale * std::exp(drawn.spread * drawn.spread / 2);
    case Shape::Trace:
      return std::accumulate(drawn.trace.begin(), drawn.trace.end(), 0.0) / static_cast<double>(drawn.trace.size());
  }
  return 1;
}

double mean_node_factor(const Scenario& scenario) {
  double sum = 0;
  for (const NodeGroup& group : scenario.nodes) {
    for (std::uint32_t i = 1; i <= group.count; ++i) {
      sum += group.slots * injection::node_factor(scenario.injection, group.name + "-" + std::to_string(i));
    }
  }
  return sum / slots_of(scenario);
}

double mean_tasks(const JobGroup& group) {
  double tasks = 0;
  double shares = 0;
  for (const auto& [number_of, share] : group.tasks) {
    tasks += number_of * share;
    shares += share;
  }
  return tasks / shares;
}

std::uint32_t draw_tasks(const JobGroup& group, Random& random) {
  double shares = 0;
  for (const auto& entry : group.tasks) shares += entry.second;
  double left = random.uniform() * shares;
  for (const auto& [number_of, share] : group.tasks) {
    if (left < share) return number_of;
    left -= share;
  }
  return group.tasks.back().first;
}

std::vector<double> arrivals_of(const Scenario& scenario, std::uint32_t index, std::uint64_t seed) {
  using Kind = Arrivals::Kind;
  const JobGroup& group = scenario.jobs[index];
  const Arrivals& arrivals = group.arrivals;
  std::vector<double> at(group.count, 0.0);
  if (arrivals.kind == Kind::Listed) return arrivals.at;
  if (arrivals.kind == Kind::OneByOne) std::fill(at.begin() + 1, at.end(), kForEver);
  if (arrivals.kind == Kind::Every) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = arrivals.value * static_cast<double>(i);
  }
  if (arrivals.kind != Kind::Rate && arrivals.kind != Kind::Load) return at;
  double rate = arrivals.value;
  if (arrivals.kind == Kind::Load) {
    const auto full = rate_at_full_load(scenario, group);
    rate *= full ? *full : 1;  // the reader has seen to it
  }
  const auto gap = lab::Distribution::shifted_exponential(0, 1 / rate);
  Random random(seed, Purpose::Arrivals, index);
  double now = 0;
  for (double& arrival : at) arrival = now += gap.sample(random);
  return at;
}

void add_warm_up(const Scenario& scenario, std::vector<PlannedJob>& jobs) {
  std::vector<const JobGroup*> seen;
  for (std::uint32_t index = 0; index < scenario.jobs.size(); ++index) {
    const JobGroup& group = scenario.jobs[index];
    const bool is_known = std::any_of(seen.begin(), seen.end(), [&](const JobGroup* other) {
      return other->application == group.application && other->parameters == group.parameters;
    });
    if (group.is_noise || is_known) continue;
    seen.push_back(&group);
    for (std::uint32_t i = 0; i < scenario.warm_up.jobs; ++i) {
      jobs.push_back({index, JobKind::WarmUp, scenario.warm_up.tasks, 0});
    }
  }
}

bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

const char* name_of(JobKind kind) {
  switch (kind) {
    case JobKind::Counted:
      return "counted";
    case JobKind::Noise:
      return "noise";
    case JobKind::WarmUp:
      return "warm-up";
  }
  return "unknown";
}

Result<double> rate_at_full_load(const Scenario& scenario, const JobGroup& group) {
  const injection::Injection& injected = scenario.injection;
  if (injected.pace <= Duration(0)) return bad_input("a load needs a pace in the injection; give a rate");
  double factor = injected.slowdown.shape == injection::Shape::Never ? 1 : mean_of(injected.slowdown);
  factor *= 1 + injected.straggler.share * (injected.straggler.factor - 1);
  factor *= mean_node_factor(scenario);
  const double work = mean_tasks(group) * (seconds(injected.pace) * factor + mean_of(injected.launch));
  if (!std::isfinite(work)) return bad_input("attempts have no mean duration, so a load means nothing; give a rate");
  return slots_of(scenario) / work;
}

std::vector<PlannedJob> plan_jobs(const Scenario& scenario, std::uint64_t seed) {
  std::vector<PlannedJob> jobs;
  add_warm_up(scenario, jobs);
  const double begin = jobs.empty() ? 0 : scenario.warm_up.time;
  for (std::uint32_t index = 0; index < scenario.jobs.size(); ++index) {
    const JobGroup& group = scenario.jobs[index];
    Random sizes(seed, Purpose::JobSize, index);
    const std::vector<double> arrivals = arrivals_of(scenario, index, seed);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const std::uint32_t tasks = group.trace_tasks.empty() ? draw_tasks(group, sizes) : group.trace_tasks[i];
      jobs.push_back({index, group.is_noise ? JobKind::Noise : JobKind::Counted, tasks, begin + arrivals[i]});
    }
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const PlannedJob& a, const PlannedJob& b) { return a.at < b.at; });
  return jobs;
}

double deadline_of(const Scenario& scenario, std::uint32_t group, const Baselines& baselines) {
  const Deadline& deadline = scenario.jobs[group].deadline;
  if (deadline.medians_of.empty()) return deadline.seconds;
  const auto found = baselines.find(group);
  return found == baselines.end() ? 0 : deadline.times * found->second.median;
}

Result<std::string> policy_text(const Policy& policy, const Scenario& scenario, std::uint32_t group,
                                const Baselines& baselines) {
  Texts values = scenario.jobs[group].values;
  if (const auto found = baselines.find(group); found != baselines.end()) {
    values["miss"] = number(found->second.miss);
    values["median"] = number(found->second.median);
  }
  std::string text;
  for (std::size_t i = 0; i < policy.text.size();) {
    if (policy.text[i] != '$') {
      text += policy.text[i++];
      continue;
    }
    std::size_t end = i + 1;
    while (end < policy.text.size() && is_name_character(policy.text[end])) ++end;
    const std::string name = policy.text.substr(i + 1, end - i - 1);
    const auto found = values.find(name);
    if (found == values.end()) {
      return bad_input("policy '" + policy.name + "': $" + name + " stands for nothing in the jobs '" +
                       scenario.jobs[group].name + "'; say so under 'let'");
    }
    text += found->second;
    i = end;
  }
  return text;
}

std::vector<Run> plan_measurements(const Scenario& scenario) {
  std::vector<Run> runs;
  for (const JobGroup& group : scenario.jobs) {
    const std::string& wanted = group.deadline.medians_of;
    const auto is_there = [&](const auto& thing) { return thing.name == wanted; };
    const bool is_planned = std::any_of(runs.begin(), runs.end(), [&](const Run& run) { return is_there(run.policy); });
    if (wanted.empty() || is_planned) continue;
    const auto known = std::find_if(scenario.policies.begin(), scenario.policies.end(), is_there);
    const Policy policy = known != scenario.policies.end() ? *known : Policy{wanted, wanted};
    for (std::uint32_t repetition = 1; repetition <= scenario.baseline_runs; ++repetition) {
      const std::uint64_t seed = scenario.seed + repetition - 1;
      runs.push_back({policy, repetition, true, seed, plan_jobs(scenario, seed)});
    }
  }
  return runs;
}

std::vector<Run> plan_runs(const Scenario& scenario) {
  std::vector<Run> runs;
  for (std::uint32_t repetition = 1; repetition <= scenario.repeat; ++repetition) {
    const std::uint64_t seed = scenario.seed + repetition - 1;
    const std::vector<PlannedJob> jobs = plan_jobs(scenario, seed);
    for (const Policy& policy : scenario.policies) runs.push_back({policy, repetition, false, seed, jobs});
  }
  return runs;
}

Status check_policy(const Policy& policy, const Scenario& scenario) {
  for (std::uint32_t group = 0; group < scenario.jobs.size(); ++group) {
    if (scenario.jobs[group].is_noise) continue;
    const auto text = policy_text(policy, scenario, group, {{group, {1, 0.5}}});
    if (!text) return text.error();
    const auto choice = read_policy(*text);
    if (!choice) return choice.error();
    if (auto good = scheduler::check_policy(choice->name, choice->parameters); !good) return good;
  }
  return {};
}

}  // namespace ontime::lab::experiment
