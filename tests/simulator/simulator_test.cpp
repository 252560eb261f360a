#include "simulator/simulator.h"

#include <gtest/gtest.h>

#include <string>

namespace ontime::simulator {
namespace {

Scenario small() {
  Scenario scenario;
  scenario.nodes = {{.count = 3, .slots = 2, .slowness = Distribution::constant(1)}};
  scenario.check_invariants = true;
  return scenario;
}

std::string log_of(const Scenario& scenario, std::uint64_t seed) {
  std::string log;
  const Observer observer{[&](std::string_view line) { log.append(line).push_back('\n'); }};
  run(scenario, seed, observer);
  return log;
}

TEST(Simulator, ATaskOfConstantDurationTakesItsLaunchAndItsDuration) {
  Scenario scenario = small();
  scenario.jobs[0].tasks = Distribution::constant(6);
  scenario.jobs[0].duration = Distribution::constant(10);
  const Outcome outcome = run(scenario, 1);
  ASSERT_EQ(outcome.jobs.size(), 1u);
  const JobOutcome& job = outcome.jobs[0];
  EXPECT_EQ(job.state, scheduler::JobState::Succeeded);
  EXPECT_NEAR(job.flow_time(), 1 + 10 + 2 * 0.001, 1e-6);
  EXPECT_NEAR(job.machine_time, 6 * 11, 1e-6);
  EXPECT_EQ(job.attempts, 6u);
  EXPECT_NEAR(job.mapped_bytes, job.input_bytes, 1);
}

TEST(Simulator, TheSameSeedGivesTheSameLogAndAnotherSeedAnother) {
  Scenario scenario = small();
  scenario.jobs[0].count = 3;
  const std::string log = log_of(scenario, 7);
  EXPECT_GT(log.size(), 1000u);
  EXPECT_EQ(log, log_of(scenario, 7));
  EXPECT_NE(log, log_of(scenario, 8));
}

}  // namespace
}  // namespace ontime::simulator
