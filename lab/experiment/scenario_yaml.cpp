#include "lab/scenario/scenario_yaml.h"

#include <set>

#include "common/base/units.h"
#include "lab/experiment/plan.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab::experiment {
namespace {

constexpr std::uint32_t kNodesMax = 2000;
constexpr std::uint32_t kBaselineRunsMax = 100;

// What nobody can make happen to real processes, or would not be the same every time.
const Keys& simulated_only() {
  static const Keys keys{
      {"outages", "elastic", "network", "reconnect", "speed_changes_every", "node_correlation", "commit",
       "crash_probability", "placement", "keeps_runners", "sample_every", "check_invariants"},
      {"disk", "slowness_changes"},
      {"scale", "duration", "skew", "output", "first_durations", "stages", "split_lengths", "history", "policy",
       "record_bytes", "start", "start_of", "reads_ahead", "record_time", "workers_answer"}};
  return keys;
}

// What involves several keys.
void check_all(const YAML::Node& document, const Scenario& scenario) {
  demand(!scenario.nodes.empty(), document, "'nodes' is missing: at least one group {count: 4}");
  demand(!scenario.jobs.empty(), document, "'jobs' is missing: at least one group {app: wordcount}");
  demand(nodes_of(scenario) <= kNodesMax, document, "there are at most " + std::to_string(kNodesMax) + " nodes");
  std::set<std::string> names;
  std::uint64_t jobs = 0;
  bool counts_some = false;
  for (const JobGroup& group : scenario.jobs) {
    jobs += group.count + scenario.warm_up.jobs;
    demand(!group.deadline.is_drawn(), document["jobs"][group.role.item],
           "a deadline that is drawn, or is a multiple of what attempts take, is for 'ontime simulate'; give a time or "
           "{medians_of: POLICY, times: NUMBER}");
    counts_some = counts_some || !group.role.is_noise;
    demand(names.insert(group.name).second, document,
           "two groups of jobs are called '" + group.name + "'; name them apart");
    demand(!group.arrivals.one_by_one || scenario.jobs.size() == 1, document,
           "one_by_one is for a single group of jobs: with others between them, which jobs have the stragglers would "
           "depend on the policy; use {every: TIME}");
  }
  demand(counts_some, document, "all jobs are noise; at least one group is to be measured");
  demand(jobs <= kJobsMax, document, "there are at most " + std::to_string(kJobsMax) + " jobs in a run");
  for (const NamedPolicy& policy : scenario.policies) {
    if (const Status good = check_policy(policy, scenario); !good)
      throw YamlFault(document["policies"], good.error().message);
  }
  for (const Run& baseline : plan_measurements(scenario)) {
    if (const Status good = check_policy(baseline.policy, scenario); !good) {
      throw YamlFault(document["jobs"], "medians_of: " + good.error().message);
    }
  }
}

Scenario read_all(const YAML::Node& document, const Surroundings& surroundings) {
  Scenario scenario = read_document(document, surroundings, For::Processes);
  refuse(document, simulated_only(), "is for 'ontime simulate': real processes cannot be told so");
  refuse(document, {{"study"}, {}, {}}, "is for 'ontime simulate': an experiment has no axes");
  if (scenario.policies.empty()) {
    for (const char* name : {"none", "hadoop", "shed+", "split-resume"}) scenario.policies.push_back({name, name});
  }
  demand(scenario.repeat >= 1, document, "'repeat' is at least 1");
  demand(scenario.baseline_runs >= 1 && scenario.baseline_runs <= kBaselineRunsMax, document,
         "'baseline_runs' is 1 to " + std::to_string(kBaselineRunsMax));
  check_all(document, scenario);
  return scenario;
}

}  // namespace

Status check_policy(const NamedPolicy& policy, const Scenario& scenario) {
  for (std::uint32_t group = 0; group < scenario.jobs.size(); ++group) {
    if (scenario.jobs[group].role.is_noise) continue;
    const auto choice = chosen_policy(policy, scenario, group, {{group, {1, 0.5}}});
    if (!choice) return choice.error();
    if (auto good = scheduler::check_policy(choice->name, choice->parameters); !good) return good;
  }
  return {};
}

Result<Scenario> read_experiment(const std::string& text, const Surroundings& surroundings) {
  return without_throwing([&]() -> Result<Scenario> {
    Scenario scenario = read_all(YAML::Load(text), surroundings);
    if (auto good = check(scenario); !good) return good.error();
    return scenario;
  });
}

}  // namespace ontime::lab::experiment
