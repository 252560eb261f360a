#include <algorithm>
#include <array>
#include <numeric>

#include "lab/campaigns/real.h"
#include "lab/scenario/random.h"
#include "scheduler/math/distributions.h"

namespace ontime::lab {
namespace {

constexpr std::array<std::string_view, 4> kWorlds{"resampled", "replay", "pareto", "lognormal"};
constexpr double kBetaMin = 1.05;  // below it the mean is all but infinite

namespace math = scheduler::math;

double work_of(const Stage& stage) { return std::accumulate(stage.durations.begin(), stage.durations.end(), 0.0); }

Distribution durations_in(std::string_view world, const Stage& stage) {
  if (world == "pareto") {
    const math::Pareto fit = math::fit_pareto(stage.durations, {})->distribution;
    return Distribution::pareto(fit.t_min(), fit.beta());
  }
  if (world == "lognormal") {
    const auto fit = math::fit_lognormal(stage.durations, {});
    return Distribution::lognormal(fit->quantile(0.5), fit->s());
  }
  return Distribution::empirical(stage.durations);
}

// So that the recorded work of all jobs, launches included, is `load` of what the slots can do.
double span_of(const std::vector<Stage>& stages, const RealCase& what, std::uint32_t jobs) {
  double work = 0;
  for (const Stage& stage : stages) work += work_of(stage) + what.launch * static_cast<double>(stage.durations.size());
  return work * jobs / (what.load * what.nodes * what.slots);
}

// A Poisson process of which it is known how often something came.
std::vector<double> arrivals_in(double span, std::uint32_t jobs, std::uint64_t seed, std::uint32_t stage) {
  Random random(seed, Purpose::Arrivals, stage);
  std::vector<double> at(jobs);
  for (double& arrival : at) arrival = span * random.uniform();
  std::sort(at.begin(), at.end());
  return at;
}

}  // namespace

std::vector<Stage> stages_in(std::string_view world, std::vector<Stage> stages) {
  std::erase_if(stages, [&](const Stage& stage) {
    if (world == "pareto") return math::fit_pareto(stage.durations, {})->distribution.beta() < kBetaMin;
    return world == "lognormal" && !math::fit_lognormal(stage.durations, {});
  });
  return stages;
}

Result<Scenario> real_scenario(const std::vector<Stage>& stages, const RealCase& what) {
  if (std::find(kWorlds.begin(), kWorlds.end(), what.world) == kWorlds.end()) {
    return bad_input("there is no world '" + what.world + "'.");
  }
  const bool replays = what.world == "replay";
  const std::uint32_t jobs = replays ? 1 : what.jobs;
  const double span = span_of(stages, what, jobs);
  Scenario scenario;
  scenario.nodes = {{what.nodes, what.slots, Distribution::constant(1)}};
  scenario.launch = Distribution::lognormal(what.launch, kLaunchSpread);
  scenario.heartbeat = 1;
  scenario.node_timeout = 30;
  scenario.node_correlation = replays ? what.persistence : 0;
  scenario.jobs.clear();
  for (std::uint32_t i = 0; i < stages.size(); ++i) {
    JobGroup group;
    group.name = stages[i].name;
    group.count = jobs;
    group.arrivals.at = arrivals_in(span, jobs, what.seed, i);
    group.tasks = Distribution::constant(static_cast<double>(stages[i].durations.size()));
    group.duration = durations_in(what.world, stages[i]);
    if (replays) group.first_durations = stages[i].durations;
    group.deadline = what.deadlines.empty() ? 0 : what.deadlines[i];
    group.policy = what.policy;
    group.policy_parameters = what.parameters;
    scenario.jobs.push_back(std::move(group));
  }
  if (const Status fine = check(scenario); !fine) return fine.error();
  return scenario;
}

}  // namespace ontime::lab
