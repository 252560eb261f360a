#include <algorithm>
#include <map>
#include <set>

#include "common/injection/injection.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/rows.h"
#include "tests/lab/experiment/read.h"

namespace ontime::lab::experiment {
namespace {

constexpr const char* kStragglers =
    "nodes: [{count: 12}, {name: slow, count: 2, slowness: 3}]\n"
    "injection: {pace: 1s, straggler: 0.1:8x}\n"
    "jobs: [{tasks: 10, count: 3, arrivals: {every: 2s}, deadline: 4s}]\n"
    "policies: [none, hadoop, shed+, split-resume]\n";

Results simulated(const Scenario& scenario, const Run& run) {
  auto results = simulate(scenario, run, {});
  EXPECT_TRUE(results) << results.error().message;
  return results ? *results : Results{};
}

TEST(SimulatedRun, TheStragglersAreThoseThatTheInjectionDraws) {
  const Scenario scenario = read(kStragglers);
  const auto run = plan_runs(scenario)[0];
  const Results results = simulated(scenario, run);
  injection::Injection injection = *scenario.injection;
  injection.seed = run.seed;
  ASSERT_EQ(results.attempts.size(), 30u);
  for (const AttemptRow& row : results.attempts) {
    const bool straggles = is_straggler(injection, {JobId{row.job}, row.task}, 10);
    const double node = row.node.starts_with("slow") ? 3 : 1;
    EXPECT_NEAR(row.ended - row.started, (straggles ? 8 : 1) * node, 0.01) << row.job << " " << row.task;
  }
}

TEST(SimulatedRun, RowsBalance) {
  const Scenario scenario = read(kStragglers);
  for (const auto& run : plan_runs(scenario)) {
    const Results results = simulated(scenario, run);
    ASSERT_EQ(results.jobs.size(), 3u);
    ASSERT_EQ(results.tasks.size(), 30u);
    for (const JobRow& job : results.jobs) {
      EXPECT_EQ(job.state, "succeeded");
      std::uint64_t sealed = 0;
      std::uint64_t attempts = 0;
      double machine = 0;
      for (const AttemptRow& row : results.attempts) {
        if (row.job != job.job) continue;
        ++attempts;
        sealed += row.sealed;
        machine += row.ended - row.launched;
      }
      EXPECT_EQ(sealed, job.input_bytes) << run.policy.name;
      EXPECT_EQ(attempts, job.attempts);
      EXPECT_NEAR(machine, job.machine, 0.01) << run.policy.name;
    }
  }
}

TEST(SimulatedRun, SpeculationMeetsTheDeadlinesThatNoneMisses) {
  const Scenario scenario = read(kStragglers);
  Results all;
  for (const auto& run : plan_runs(scenario)) all.append(simulated(scenario, run));
  std::map<std::string, int> met;
  for (const JobRow& job : all.jobs) met[job.policy] += job.met;
  EXPECT_EQ(met["none"], 0);
  EXPECT_EQ(met["shed+"], 3);
  EXPECT_EQ(met["split-resume"], 3);
  EXPECT_FALSE(all.forecasts.empty());
}

TEST(SimulatedRun, TheSameRunGivesTheSameRows) {
  const Scenario scenario = read(kStragglers);
  const auto run = plan_runs(scenario)[2];
  const auto text = [&] { return csv_of(simulated(scenario, run).attempts); };
  EXPECT_EQ(text(), text());
}

TEST(SimulatedRun, WarmUpJobsAreEndedInTimeAndTeachTheOthers) {
  const Scenario scenario = read(
      "nodes: [{count: 20}]\ninjection: {pace: 1s, slowdown: 'pareto:1.5'}\n"
      "warm_up: {jobs: 1, tasks: 20, time: 5s}\njobs: [{tasks: 10, deadline: 6s}]\npolicies: ['shed+']\n");
  const Results results = simulated(scenario, plan_runs(scenario)[0]);
  ASSERT_EQ(results.jobs.size(), 2u);
  EXPECT_EQ(results.jobs[0].kind, "warm-up");
  EXPECT_LE(results.jobs[0].ended, 5.01);
  EXPECT_EQ(results.jobs[1].submitted, 5);
}

TEST(SimulatedRun, WhatHasNotEndedAtTheLimitIsSaidToBeUnfinished) {
  std::string text = kStragglers;
  text += "horizon: 3s\n";
  const Scenario scenario = read(text);
  const Results results = simulated(scenario, plan_runs(scenario)[0]);
  ASSERT_EQ(results.jobs.size(), 2u);  // the third would have come later
  EXPECT_EQ(std::count_if(results.jobs.begin(), results.jobs.end(), [](const JobRow& row) { return row.has_ended(); }),
            0);
}

}  // namespace
}  // namespace ontime::lab::experiment
