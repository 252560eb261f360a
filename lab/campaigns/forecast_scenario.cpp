#include <array>
#include <cmath>

#include "lab/campaigns/forecast.h"
#include "lab/scenario/random.h"

namespace ontime::lab {
namespace {

constexpr double kMedian = 20;  // seconds
constexpr double kLaunch = 1;   // seconds, median
constexpr double kLoad = 0.8;
constexpr std::uint32_t kProfile = 40;  // attempts that are known of
constexpr std::uint64_t kSplitBytes = 64u << 20;
constexpr std::array<std::uint32_t, 4> kNodes{2, 5, 8, 16};
constexpr std::uint32_t kSlotsPerNode = 2;

// What is drawn for a case; all but the policy and the deadlines hang on it.
enum class Draw : std::uint64_t { Nodes = 1, Tasks, Sizes, Stage, Arrivals, Profile };
Random random_of(const ForecastCase& what, Draw draw, std::uint64_t job = 0) {
  return {what.seed, Purpose::JobSize, static_cast<std::uint64_t>(draw), job};
}

Distribution stretched(const Stage& stage) {
  std::vector<double> durations = stage.durations;
  for (double& duration : durations) duration *= kMedian / stage.median;
  return Distribution::empirical(std::move(durations));
}

Distribution stragglers() {
  std::vector<double> durations;
  for (int i = 0; i < 90; ++i) durations.push_back(kMedian * (0.9 + 0.2 * i / 89.0));
  for (int i = 0; i < 10; ++i) durations.push_back(4 * kMedian * (0.9 + 0.2 * i / 9.0));
  return Distribution::empirical(std::move(durations));
}

Distribution durations_of(const ForecastCase& what, std::span<const Stage> stages) {
  if (what.world == "pareto") return Distribution::pareto(kMedian / std::sqrt(2), 2);
  if (what.world == "stragglers") return stragglers();
  if (what.world == "changing") return Distribution::lognormal(kMedian, 0.5);
  if (what.world == "nodes") return Distribution::lognormal(kMedian, 0.2);
  if (what.world == "real") return stretched(stages[random_of(what, Draw::Stage).below(stages.size())]);
  return Distribution::lognormal(kMedian, 0.3);
}

// Whole waves, or half a wave less.
std::uint32_t tasks_of(const ForecastCase& what, std::uint32_t slots, std::uint32_t job) {
  Random random = random_of(what, Draw::Tasks, job);
  const double less = random.uniform() < 0.5 ? 0 : 0.5;
  const double size = what.many ? 0.3 + 0.7 * random.uniform() : 1;  // each takes a part of the slots
  return static_cast<std::uint32_t>(std::max(1.0, std::round(size * slots * (what.waves - less))));
}

std::vector<std::uint64_t> uneven_files(const ForecastCase& what, std::uint32_t tasks, std::uint32_t job) {
  Random random = random_of(what, Draw::Sizes, job);
  std::vector<std::uint64_t> sizes(tasks);
  for (std::uint64_t& size : sizes) {
    size = static_cast<std::uint64_t>(static_cast<double>(kSplitBytes) * (0.05 + 0.95 * random.uniform()));
  }
  return sizes;
}

// Of an attempt over a whole split, whose speed changes as the scenario has it.
double take_time(const Scenario& scenario, const Distribution& duration, Random& random) {
  double time = 0;
  for (double left = 1;;) {
    const double whole = duration.sample(random);
    const double holds = -scenario.speed_changes_every * std::log(random.uniform());
    if (scenario.speed_changes_every <= 0 || left * whole <= holds) return time + left * whole;
    time += holds;
    left -= holds / whole;
  }
}

scheduler::math::DurationSample profile_of(const ForecastCase& what, const Scenario& scenario,
                                           const Distribution& duration) {
  Random random = random_of(what, Draw::Profile);
  scheduler::math::DurationSample profile;
  for (std::uint32_t i = 0; i < kProfile; ++i) {
    const double slowness = scenario.nodes.front().slowness.sample(random);
    profile.add_finished(take_time(scenario, duration, random) * slowness / static_cast<double>(kSplitBytes));
    profile.add_launch(scenario.launch.sample(random));
  }
  return profile;
}

JobGroup group_of(const ForecastCase& what, const Scenario& scenario, const Distribution& duration,
                  std::uint32_t job) {
  JobGroup group;
  group.name = "job-" + std::to_string(job);
  group.split_bytes = kSplitBytes;
  group.duration = duration;
  const std::uint32_t tasks = tasks_of(what, slots_of(scenario), job);
  group.tasks = Distribution::constant(tasks);
  if (!what.even) group.file_bytes = uneven_files(what, tasks, job);
  if (what.known) group.profile = profile_of(what, scenario, duration);
  if (!what.deadlines.empty()) group.deadline = what.deadlines[job];
  group.policy = what.policy;
  return group;
}

// A Poisson process by the work that is in a job on average.
void spread_arrivals(const ForecastCase& what, Scenario& scenario) {
  Random random = random_of(what, Draw::Arrivals);
  double work = 0;
  for (const JobGroup& group : scenario.jobs) {
    work += group.tasks.median() * (kLaunch + kMedian * 1.2 * (what.even ? 1 : 0.525));
  }
  const double gap = work / static_cast<double>(scenario.jobs.size()) / (kLoad * slots_of(scenario));
  double at = 0;
  for (JobGroup& group : scenario.jobs) {
    group.arrivals.at = {at};
    at -= gap * std::log(random.uniform());
  }
}

}  // namespace

std::span<const std::string_view> forecast_worlds() {
  static constexpr std::array<std::string_view, 6> kWorlds{"pareto",   "lognormal", "stragglers",
                                                           "changing", "nodes",     "real"};
  return kWorlds;
}

Scenario forecast_scenario(const ForecastCase& what, std::span<const Stage> stages) {
  Scenario scenario;
  const std::uint32_t nodes = kNodes[random_of(what, Draw::Nodes).below(kNodes.size())];
  const bool differ = what.world == "nodes";
  scenario.nodes = {{nodes, kSlotsPerNode, differ ? Distribution::lognormal(1, 0.3) : Distribution::constant(1)}};
  scenario.launch = Distribution::lognormal(kLaunch, kLaunchSpread);
  scenario.heartbeat = 1;
  scenario.node_timeout = 30;
  scenario.cut_timeout = 3;
  if (what.world == "changing") scenario.speed_changes_every = kMedian / 2;
  const Distribution duration = durations_of(what, stages);
  scenario.jobs.clear();
  for (std::uint32_t job = 0; job < (what.many ? kForecastJobsMany : 1); ++job) {
    scenario.jobs.push_back(group_of(what, scenario, duration, job));
  }
  if (what.many) spread_arrivals(what, scenario);
  return scenario;
}

}  // namespace ontime::lab
