#include <algorithm>
#include <array>

#include "common/base/random.h"
#include "lab/campaigns/forecast.h"
#include "lab/simulator/simulator.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab {
namespace {

constexpr std::array<double, 5> kShares{0.1, 0.25, 0.5, 0.75, 0.9};
constexpr std::array<double, 5> kDeadlines{0.75, 1.0, 1.3, 0.9, 1.15};
constexpr std::uint32_t kUsualRuns = 5;
constexpr std::uint32_t kWavesMost = 8;

// Another seed would draw other sizes, so other luck for the same jobs is another seed of the simulation only.
std::uint64_t luck(const ForecastCase& what, std::uint32_t other) { return what.seed + other * 1'000'003ull; }

std::string key_of(const ForecastCase& what) {
  return what.world + ' ' + std::to_string(what.waves) + (what.even ? 'e' : 'u') + (what.many ? 'm' : '1') + ' ' +
         std::to_string(what.seed);
}

}  // namespace

std::span<const double> forecast_shares() { return kShares; }

const std::vector<double>& ForecastTrials::usual_times(const ForecastCase& what) {
  std::vector<double>& usual = usual_[key_of(what)];
  if (!usual.empty()) return usual;
  ForecastCase plain = what;
  plain.policy = "none";
  plain.deadlines.clear();
  const Scenario scenario = forecast_scenario(plain, stages_);
  std::vector<std::vector<double>> times(scenario.jobs.size());
  for (std::uint32_t other = 1; other <= kUsualRuns; ++other) {
    const Outcome outcome = lab::run(scenario, luck(what, other));
    for (const JobOutcome& job : outcome.jobs) times[job.group].push_back(job.flow_time());
  }
  for (std::vector<double>& of_job : times) {
    std::sort(of_job.begin(), of_job.end());
    usual.push_back(of_job[of_job.size() / 2]);
  }
  return usual;
}

ForecastTrial ForecastTrials::run(ForecastCase what, double deadline) {
  what.deadlines = usual_times(what);
  for (double& time : what.deadlines) time *= deadline;
  const Scenario scenario = forecast_scenario(what, stages_);
  Observer observer;
  const Outcome first = lab::run(scenario, what.seed);
  for (const JobOutcome& job : first.jobs) {
    observer.forecast_when.emplace_back();
    const double whole = of_ == ReadingOf::Life ? job.flow_time() : job.deadline;
    for (const double share : kShares) observer.forecast_when.back().push_back(share * whole);
  }
  return {what, deadline, lab::run(scenario, what.seed, observer).jobs};
}

std::vector<PlannedCase> forecast_cases(const ForecastPlan& plan) {
  std::vector<std::string> policies = plan.policies;
  if (policies.empty()) {
    for (const auto& policy : scheduler::policies()) policies.emplace_back(policy.name);
  }
  std::vector<std::string> worlds = plan.worlds;
  if (worlds.empty()) worlds.assign(forecast_worlds().begin(), forecast_worlds().end());
  std::vector<PlannedCase> cases;
  std::size_t number = 0;
  for (std::uint64_t seed = plan.first_seed; seed < plan.first_seed + plan.seeds; ++seed) {
    for (const std::string& world : worlds) {
      for (std::uint32_t waves = 1; waves <= kWavesMost; ++waves) {
        for (std::uint32_t kind = 0; kind < 8; ++kind) {
          for (const std::string& policy : policies) {
            const std::size_t turn = number++;
            if (turn % plan.every != 0) continue;
            ForecastCase what{policy, world, waves, (kind & 1) == 0, (kind & 2) != 0, (kind & 4) == 0,
                              seed * 10'000 + waves * 100 + kind, {}};
            cases.push_back({std::move(what), kDeadlines[(turn * kGoldenGamma >> 32) % kDeadlines.size()]});
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace ontime::lab
