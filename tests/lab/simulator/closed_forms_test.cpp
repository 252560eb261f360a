// Chronos' closed forms against what the simulator makes of the very policies, without launch times, noise or waiting:
// PoCD by Theorems 1, 3 and 5, machine time by 2, 4 and 6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/simulator/simulator.h"
#include "scheduler/policies/chronos/chronos.h"
#include "tests/pocd/chronos_paper.h"

namespace ontime::lab {
namespace {

using scheduler::chronos::ChronosJob;
using scheduler::chronos::Strategy;

constexpr double kTasks = 20;

// N 20, t_min 10 s, beta 2.5, D 20 s, r 1, tau_est 0.3 and tau_kill 0.6 t_min.
ChronosJob model(Strategy strategy) {
  ChronosJob job;
  job.tasks = kTasks;
  job.t_min = 10;
  job.beta = 2.5;
  job.deadline = 20;
  job.tau_est = strategy == Strategy::Clone ? 0 : 3;
  job.tau_kill = 6;
  job.phi = scheduler::chronos::straggler_progress(job);
  return job;
}

Scenario scenario(const std::string& policy) {
  Scenario scenario;
  scenario.nodes = {{.count = 40, .slots = 500, .slowness = Distribution::constant(1)}};
  scenario.launch = Distribution::constant(0);
  scenario.network_delay = Distribution::constant(1e-5);
  scenario.heartbeat = 0.1;
  scenario.placement = {.apart = false, .fast_first = false, .leave_out = false};
  JobGroup& jobs = scenario.jobs[0];
  jobs.count = 2000;
  jobs.arrivals.rate = 4;
  jobs.size.tasks = Distribution::constant(kTasks);
  jobs.size.record_bytes = 1 << 12;
  jobs.times.duration = Distribution::pareto(10, 2.5);
  jobs.deadline.seconds = 20;
  jobs.handling.checkpoint_interval = Duration(0);
  jobs.handling.policy = policy;
  jobs.handling.policy_parameters = {{"t_min", "10s"}, {"beta", "2.5"}, {"t_avg", "0s"},
                                     {"fit", "flags"}, {"r", "1"},      {"tau_kill", "0.6x"}};
  if (policy != "clone") jobs.handling.policy_parameters["tau_est"] = "0.3x";
  return scenario;
}

void expect_agreement(Strategy strategy, const std::string& policy, double pocd) {
  const Outcome outcome = run(scenario(policy), 1);
  const Summary summary = summarise(outcome.jobs);
  const double cost = scheduler::chronos::machine_time(strategy, model(strategy), 1) / kTasks;
  EXPECT_NEAR(pocd, summary.pocd.value, 2 * (summary.pocd.high - summary.pocd.low) / 2) << policy;
  // Heartbeats come every 1 % of t_min, so detection and the end of races are late by half of that on average.
  EXPECT_NEAR(cost, summary.machine_time.value / kTasks, 2 * summary.machine_time.margin() / kTasks + 0.02) << policy;
  EXPECT_THAT(outcome.jobs, testing::Each(testing::Field(&JobOutcome::chosen, 1)));
}

TEST(ClosedForms, CloneMeetsTheoremsOneAndTwo) {
  expect_agreement(Strategy::Clone, "clone",
                   scheduler::chronos::chronos_pocd(Strategy::Clone, model(Strategy::Clone), 1).value);
}

TEST(ClosedForms, RestartMeetsTheoremsThreeAndFour) {
  expect_agreement(Strategy::Restart, "s-restart",
                   scheduler::chronos::chronos_pocd(Strategy::Restart, model(Strategy::Restart), 1).value);
}

// With each straggler's own progress in place of one constant phi.
TEST(ClosedForms, ResumeMeetsTheoremsFiveAndSix) {
  const double miss = std::exp(scheduler::chronos::ln_miss_resume_linear(model(Strategy::Resume), 1));
  expect_agreement(Strategy::Resume, "s-resume", std::pow(1 - miss, kTasks));
}

}  // namespace
}  // namespace ontime::lab
