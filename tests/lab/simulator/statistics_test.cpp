// What comes out on average over many jobs is what the scenario asked for.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

// The scheduler has nothing to do with the true durations of first attempts: the job meets its deadline if all do.
TEST(Statistics, PocdWithoutSpeculationIsThatOfTheFormula) {
  Scenario scenario;
  scenario.nodes = {{.count = 20, .slots = 1, .slowness = Distribution::constant(1)}};
  scenario.jobs[0].count = 1500;
  scenario.jobs[0].arrivals.one_by_one = true;
  scenario.jobs[0].size.tasks = Distribution::constant(10);
  scenario.jobs[0].times.duration = Distribution::pareto(10, 2);
  scenario.jobs[0].deadline.seconds = 51.002;
  scenario.jobs[0].handling.checkpoint_interval = Duration(0);
  const Estimate pocd = summarise(run(scenario, 1).jobs).pocd;
  const double expected = std::pow(1 - std::pow(10.0 / 50, 2), 10);
  EXPECT_LT(pocd.low, expected);
  EXPECT_GT(pocd.high, expected);
}

TEST(Statistics, AJobThatFailedIsLateAndHasNoTime) {
  std::vector<JobOutcome> jobs(3);
  for (JobOutcome& job : jobs) {
    job.ended = 10;
    job.deadline = 20;
  }
  jobs[0].state = scheduler::JobState::Succeeded;
  jobs[1].state = scheduler::JobState::Failed;
  jobs[1].ended = 2;
  const Summary summary = summarise(jobs);
  EXPECT_EQ(summary.flow_time.value, 10);
  EXPECT_EQ(summary.failed, 1u);
  EXPECT_EQ(summary.unfinished, 1u);
  EXPECT_NEAR(summary.pocd.value, 1.0 / 3, 1e-9);
}

TEST(Statistics, OffersTheLoadThatWasAskedFor) {
  Scenario scenario;
  scenario.nodes = {{.count = 20, .slots = 1, .slowness = Distribution::constant(1)}};
  scenario.jobs[0].count = 2000;
  scenario.jobs[0].times.duration = Distribution::lognormal(10, 0.5);
  scenario.jobs[0].arrivals.load = 0.6;
  EXPECT_NEAR(run(scenario, 1).utilisation(), 0.6, 0.03);
}

}  // namespace
}  // namespace ontime::lab
