// What is injected does to simulated attempts what it does to real ones.
#include "common/injection/injection.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "lab/simulator/simulator.h"
#include "tests/injection/injections.h"

namespace ontime::lab {
namespace {

Scenario injected(const std::vector<std::string>& settings) {
  Scenario scenario;
  scenario.nodes = {{.count = 30, .slots = 1, .slowness = Distribution::constant(1), .name = "worker"}};
  scenario.launch = Distribution::constant(0.01);
  scenario.jobs[0].size.tasks = Distribution::constant(10);
  scenario.check_invariants = true;
  scenario.injection.emplace();
  injection::test::Traces none;
  for (const auto& setting : settings) {
    EXPECT_TRUE(injection::apply(*scenario.injection, setting, none).has_value()) << setting;
  }
  return scenario;
}

// Of the attempts of the first job, in seconds from the first record to the end.
std::map<AttemptId, double> times_of(const Scenario& scenario) {
  std::map<AttemptId, double> times;
  Observer observer;
  observer.ended = [&](JobId id, const scheduler::Scheduler& scheduler) {
    const scheduler::Job& job = *scheduler.cluster().find_job(id);
    for (std::uint32_t task = 0; task < job.tasks.size(); ++task) {
      const auto& attempts = job.tasks[task].attempts;
      for (std::uint32_t number = 0; number < attempts.size(); ++number) {
        times[{{id, task}, number}] = seconds(attempts[number].ended_at - attempts[number].started_at);
      }
    }
  };
  const Outcome outcome = run(scenario, 1, observer);
  EXPECT_TRUE(outcome.broken.empty());
  EXPECT_EQ(outcome.jobs[0].state, scheduler::JobState::Succeeded);
  return times;
}

TEST(InjectedSimulation, AttemptsKeepThePaceAndTheStragglersAreThoseThatAreDrawn) {
  const Scenario scenario = injected({"seed=7", "pace=2s", "straggler=0.1:8x", "node=worker-3:2x"});
  for (const auto& [id, took] : times_of(scenario)) {
    const double factor = injection::is_straggler(*scenario.injection, id.task, 10) ? 8 : 1;
    const bool on_the_slow_node = took > 2 * factor * 1.5;
    EXPECT_NEAR(took, 2 * factor * (on_the_slow_node ? 2 : 1), 0.01);
  }
}

// The job of tests/system/straggler_test.cpp, which leaves it to this test whether the deadline is made.
TEST(InjectedSimulation, EveryResumingPolicyMakesTheDeadlineThatIsMissedWithoutSpeculation) {
  Scenario scenario = injected({"seed=7", "pace=1.5s", "straggler=0.1:8x"});
  scenario.nodes[0].count = 20;
  JobGroup& job = scenario.jobs[0];
  job.deadline.seconds = 6;
  job.handling.policy = "none";
  EXPECT_FALSE(run(scenario, 1).jobs[0].met());
  for (const std::string policy : {"s-resume", "shed+", "split-resume"}) {
    for (const std::string handover : {"predicted", "ready"}) {
      job.handling.policy = policy;
      job.handling.policy_parameters = {{"handover", handover}};
      EXPECT_TRUE(run(scenario, 1).jobs[0].met()) << policy << ' ' << handover;
    }
  }
}

TEST(InjectedSimulation, LaunchTimesComeOnTop) {
  const Scenario scenario = injected({"pace=2s", "launch=3s"});
  EXPECT_NEAR(run(scenario, 1).jobs[0].flow_time(), 0.01 + 3 + 2, 0.01);
}

TEST(InjectedSimulation, StartsComeBehindTheReportThatTheAttemptHasStarted) {
  for (const std::string of : {"segment", "process"}) {
    const Scenario scenario = injected({"pace=2s", "start=3s", "start-of=" + of, "straggler=0.1:2x"});
    for (const auto& [id, took] : times_of(scenario)) {
      EXPECT_NEAR(took, 5 * (injection::is_straggler(*scenario.injection, id.task, 10) ? 2 : 1), 0.01);
    }
  }
}

TEST(InjectedSimulation, AProcessThatIsKeptHasStarted) {
  Scenario scenario = injected({"pace=2s", "start=3s", "start-of=process"});
  scenario.nodes[0].count = 1;
  scenario.keeps_runners = true;
  scenario.jobs[0].size.tasks = Distribution::constant(2);
  EXPECT_NEAR(run(scenario, 1).jobs[0].machine_time, 0.01 + 3 + 2 * 2, 0.01);
  injection::test::Traces none;
  ASSERT_TRUE(injection::apply(*scenario.injection, "start-of=attempt", none));
  EXPECT_NEAR(run(scenario, 1).jobs[0].machine_time, 0.01 + 2 * (3 + 2), 0.01);
}

TEST(InjectedSimulation, APauseLengthensTheAttempt) {
  for (const auto& [id, took] : times_of(injected({"pace=2s", "pause=1:5s"}))) EXPECT_NEAR(took, 7, 0.01);
}

TEST(InjectedSimulation, ACrashIsRetriedFromTheBeginning) {
  const auto times = times_of(injected({"pace=2s", "crash=task:4@50%"}));
  EXPECT_EQ(times.size(), 11u);
  EXPECT_NEAR(times.at({{JobId{1}, 4}, 0}), 1, 0.01);
  EXPECT_NEAR(times.at({{JobId{1}, 4}, 1}), 2, 0.01);
}

TEST(InjectedSimulation, HappensAtItsPlaceThoughTheDiskTakesTime) {
  Scenario scenario = injected({"pace=2s", "pause=1:5s", "crash=task:4@75%"});
  scenario.jobs[0].handling.checkpoint_interval = from_seconds(0.5);
  scenario.nodes[0].disk.sync = Distribution::constant(0.1);
  const auto times = times_of(scenario);
  EXPECT_EQ(times.size(), 11u);
  const double crashed = times.at({{JobId{1}, 4}, 0});
  EXPECT_GT(crashed, 5 + 1.5 + 0.1);  // its pause, three quarters of its work, at least one checkpoint
  EXPECT_LT(crashed, 5 + 1.5 + 2);
}

TEST(InjectedSimulation, AStalledAttemptIsEndedByItsTimeout) {
  Scenario scenario = injected({"pace=2s", "stall=task:4@50%"});
  scenario.jobs[0].handling.attempt_timeout = from_seconds(1);
  scenario.heartbeat = 0.1;
  const auto times = times_of(scenario);
  EXPECT_EQ(times.size(), 11u);
  EXPECT_NEAR(times.at({{JobId{1}, 4}, 0}), 2, 0.2);
}

TEST(InjectedSimulation, AJobThatEndsAfterManyYoungerOnesIsStillKnown) {
  Scenario scenario = injected({"pace=1s", "stall=task:9@50%"});
  scenario.jobs.push_back(scenario.jobs[0]);
  scenario.jobs[0].handling.attempt_timeout = from_seconds(60);  // only its tenth task stalls
  scenario.jobs[1].count = 20;
  scenario.jobs[1].size.tasks = Distribution::constant(1);
  std::vector<JobId> ended;
  Observer observer;
  observer.ended = [&](JobId id, const scheduler::Scheduler& scheduler) {
    ASSERT_NE(scheduler.cluster().find_job(id), nullptr);
    ended.push_back(id);
  };
  run(scenario, 1, observer);
  ASSERT_EQ(ended.size(), 21u);
  EXPECT_EQ(ended.back(), JobId{1});
}

}  // namespace
}  // namespace ontime::lab
