#include "lab/simulator/simulator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tests/lab/simulator/small_cluster.h"

namespace ontime::lab {
namespace {

TEST(Simulator, ATaskOfConstantDurationTakesItsLaunchAndItsDuration) {
  Scenario scenario = small_cluster();
  scenario.jobs[0].size.tasks = Distribution::constant(6);
  scenario.jobs[0].times.duration = Distribution::constant(10);
  const Outcome outcome = run(scenario, 1);
  ASSERT_EQ(outcome.jobs.size(), 1u);
  const JobOutcome& job = outcome.jobs[0];
  EXPECT_EQ(job.state, scheduler::JobState::Succeeded);
  EXPECT_NEAR(job.flow_time(), 1 + 10 + 2 * 0.001, 1e-6);
  EXPECT_NEAR(job.machine_time, 6 * 11, 1e-6);
  EXPECT_EQ(job.attempts, 6u);
  EXPECT_NEAR(job.mapped_bytes, job.input_bytes, 1);
}

TEST(Simulator, ARunnerThatIsKeptHasNothingToLoad) {
  Scenario scenario = small_cluster();
  scenario.nodes[0].count = 1;
  scenario.nodes[0].slots = 1;
  scenario.launch = Distribution::constant(5);
  scenario.jobs[0].size.tasks = Distribution::constant(3);
  scenario.jobs[0].times.duration = Distribution::constant(10);
  EXPECT_NEAR(run(scenario, 1).jobs[0].machine_time, 3 * (5 + 10), 1e-6);
  scenario.keeps_runners = true;
  EXPECT_NEAR(run(scenario, 1).jobs[0].machine_time, 5 + 3 * 10, 1e-6);
}

TEST(Simulator, AnAttemptThatTakesDaysNeedsFewStepsWhereHeartbeatsGrow) {
  Scenario scenario = small_cluster();
  scenario.heartbeat = 1;
  scenario.node_timeout = scenario.horizon;
  scenario.jobs[0].size.tasks = Distribution::constant(2);
  scenario.jobs[0].times.duration = Distribution::constant(1e5);
  scenario.jobs[0].handling.attempt_timeout = from_seconds(scenario.horizon);
  scenario.jobs[0].handling.checkpoint_interval = Duration(0);
  const Outcome steady = run(scenario, 1);
  scenario.heartbeat_growth = 0.02;
  const Outcome growing = run(scenario, 1);
  EXPECT_EQ(growing.jobs[0].flow_time(), steady.jobs[0].flow_time());
  EXPECT_LT(growing.steps, 10'000u);
  EXPECT_GT(steady.steps, 10 * growing.steps);
  scenario.steps_max = 100;
  const Outcome stopped = run(scenario, 1);
  EXPECT_EQ(stopped.steps, 100u);
  EXPECT_FALSE(stopped.jobs[0].has_ended());
}

TEST(Simulator, BytesBehindASkewTakeLongerTheWholeAsLongAsEver) {
  Scenario scenario = small_cluster();
  JobGroup& group = scenario.jobs[0];
  group.size.tasks = Distribution::constant(2);
  group.times.duration = Distribution::constant(10);
  group.times.skew.begins = Distribution::constant(0.5);
  group.times.skew.slowness = Distribution::constant(4);
  EXPECT_NEAR(run(scenario, 1).jobs[0].flow_time(), 1 + 10 + 2 * 0.001, 1e-6);
  scenario.heartbeat = 0.01;
  const auto mapped_after = [&](double seconds) {
    scenario.horizon = 1.001 + seconds;
    const JobOutcome job = run(scenario, 1).jobs[0];
    return job.mapped_bytes / job.input_bytes;
  };
  EXPECT_NEAR(mapped_after(2), 0.5, 0.006);  // the last event before the horizon is a heartbeat earlier
  EXPECT_NEAR(mapped_after(6), 0.75, 0.006);
}

TEST(Simulator, ASkewCanEndBeforeTheSplitDoes) {
  Scenario scenario = small_cluster();
  JobGroup& group = scenario.jobs[0];
  group.size.tasks = Distribution::constant(2);
  group.times.duration = Distribution::constant(14);
  group.times.skew.begins = Distribution::constant(0.2);
  group.times.skew.share = Distribution::constant(0.4);
  group.times.skew.slowness = Distribution::constant(2);
  EXPECT_NEAR(run(scenario, 1).jobs[0].flow_time(), 1 + 14 + 2 * 0.001, 1e-6);
  scenario.heartbeat = 0.01;
  const auto mapped_after = [&](double seconds) {
    scenario.horizon = 1.001 + seconds;
    const JobOutcome job = run(scenario, 1).jobs[0];
    return job.mapped_bytes / job.input_bytes;
  };
  EXPECT_NEAR(mapped_after(2), 0.2, 0.006);
  EXPECT_NEAR(mapped_after(6), 0.4, 0.006);
  EXPECT_NEAR(mapped_after(10), 0.6, 0.006);
  EXPECT_NEAR(mapped_after(12), 0.8, 0.006);
}

TEST(Simulator, TheSameSeedGivesTheSameLogAndAnotherSeedAnother) {
  Scenario scenario = small_cluster();
  scenario.jobs[0].count = 3;
  const std::string log = log_of(scenario, 7);
  EXPECT_GT(log.size(), 1000u);
  EXPECT_EQ(log, log_of(scenario, 7));
  EXPECT_NE(log, log_of(scenario, 8));
}

// By job and task: how long the first attempts took that mapped their whole split.
struct FirstDurations {
  std::map<std::pair<JobId, std::uint32_t>, double> seconds;
  std::uint32_t decisions = 0;  // of the policy, for all jobs
};

FirstDurations first_durations(const Scenario& scenario) {
  FirstDurations found;
  Observer observer;
  observer.ended = [&found](JobId id, const scheduler::Scheduler& scheduler) {
    const scheduler::Job& job = *scheduler.cluster().find_job(id);
    for (std::uint32_t index = 0; index < job.tasks.size(); ++index) {
      const scheduler::Attempt& first = job.tasks[index].attempts[0];
      if (first.state != scheduler::AttemptState::Succeeded || first.offset != first.launch_end) continue;
      found.seconds[{id, index}] = seconds(first.ended_at - first.launched_at);
    }
  };
  for (const JobOutcome& job : run(scenario, 3, observer).jobs) found.decisions += job.decisions;
  return found;
}

TEST(Simulator, AFirstAttemptTakesAsLongUnderEveryPolicy) {
  Scenario scenario = small_cluster();
  scenario.nodes[0].count = 10;
  scenario.jobs[0].count = 5;
  scenario.jobs[0].arrivals.rate = 0.01;
  scenario.jobs[0].times.duration = Distribution::pareto(10, 1.3);
  scenario.jobs[0].deadline.seconds = 60;
  const FirstDurations without = first_durations(scenario);
  EXPECT_EQ(without.seconds.size(), 50u);
  EXPECT_EQ(without.decisions, 0u);
  for (const char* policy : {"late", "mantri", "s-restart", "s-resume", "shed", "shed+", "split-resume"}) {
    scenario.jobs[0].handling.policy = policy;
    scenario.jobs[0].handling.policy_parameters.clear();
    // It would replace most of them.
    if (scenario.jobs[0].handling.policy == "split-resume")
      scenario.jobs[0].handling.policy_parameters["replace"] = "no";
    const FirstDurations with = first_durations(scenario);
    EXPECT_GT(with.decisions, 0u) << policy;
    EXPECT_GT(with.seconds.size(), 25u) << policy;
    for (const auto& [task, seconds] : with.seconds) EXPECT_NEAR(seconds, without.seconds.at(task), 1e-3) << policy;
  }
}

TEST(Simulator, FirstAttemptsTakeTheirRecordedDurationsOnWhateverNode) {
  Scenario scenario = small_cluster();
  scenario.nodes[0].slowness = Distribution::constant(3);
  scenario.node_correlation = 0.5;
  scenario.launch = Distribution::constant(1);
  scenario.jobs[0].size.tasks = Distribution::constant(4);
  scenario.jobs[0].times.duration = Distribution::constant(100);
  scenario.jobs[0].times.first_durations = {10, 20, 0, 40};  // the third is drawn
  const Outcome outcome = run(scenario, 1);
  EXPECT_NEAR(outcome.jobs[0].flow_time(), 1 + 300 + 2 * 0.001, 1e-6);
  EXPECT_NEAR(outcome.jobs[0].machine_time, 4 + 10 + 20 + 300 + 40, 1e-6);
}

TEST(Simulator, CopiesOfARecordedTaskDrawTheirOwnDurations) {
  Scenario scenario = small_cluster();
  scenario.nodes[0].count = 10;
  scenario.jobs[0].size.tasks = Distribution::constant(10);
  scenario.jobs[0].times.duration = Distribution::constant(10);
  scenario.jobs[0].times.first_durations = std::vector<double>(10, 10);
  scenario.jobs[0].times.first_durations[4] = 1000;
  scenario.jobs[0].handling.policy = "hadoop";
  const Outcome outcome = run(scenario, 1);
  EXPECT_EQ(outcome.jobs[0].copies, 1u);
  EXPECT_LT(outcome.jobs[0].flow_time(), 60);
}

TEST(Simulator, ForecastsAreRecordedAtSharesOfTheDeadlineAndChangeNothing) {
  Scenario scenario = small_cluster();
  scenario.jobs[0].deadline.seconds = 40;
  scenario.jobs[0].handling.policy = "shed+";
  const std::string before = log_of(scenario, 5);
  std::string log;
  const Observer observer{[&](std::string_view line) { log.append(line).push_back('\n'); }, {0.25, 0.5, 100}};
  const Outcome outcome = run(scenario, 5, observer);
  EXPECT_EQ(log, before);
  ASSERT_EQ(outcome.jobs[0].forecasts.size(), 2u);  // it has ended by then
  for (const ForecastReading& reading : outcome.jobs[0].forecasts) {
    EXPECT_TRUE(reading.pocd >= 0 && reading.pocd <= 1) << reading.share;
  }
}

TEST(Simulator, ASlowNodeTakesProportionallyLonger) {
  Scenario scenario = small_cluster();
  scenario.nodes = {{.count = 1, .slots = 1, .slowness = Distribution::constant(3)}};
  scenario.jobs[0].size.tasks = Distribution::constant(2);
  scenario.jobs[0].times.duration = Distribution::constant(10);
  EXPECT_NEAR(run(scenario, 1).jobs[0].machine_time, 2 * (1 + 30), 1e-6);
}

TEST(Simulator, LuckThatIsTheNodesIsTheSameForAllItsAttempts) {
  Scenario scenario = small_cluster();
  scenario.nodes = {{.count = 1, .slots = 1, .slowness = Distribution::constant(1)}};
  scenario.node_correlation = 1;
  scenario.jobs[0].size.tasks = Distribution::constant(1);
  scenario.jobs[0].count = 4;
  scenario.jobs[0].arrivals.one_by_one = true;
  const Outcome outcome = run(scenario, 9);
  for (const JobOutcome& job : outcome.jobs) {
    EXPECT_NEAR(job.machine_time, outcome.jobs[0].machine_time, 1e-6);
  }
}

TEST(Simulator, ANodeThatDiesCostsWhatWasNotSealed) {
  Scenario scenario = small_cluster();
  scenario.nodes = {{.count = 2, .slots = 1, .slowness = Distribution::constant(1)}};
  scenario.jobs[0].size.tasks = Distribution::constant(2);
  scenario.jobs[0].times.duration = Distribution::constant(100);
  scenario.outages = {{.kind = Outage::Kind::Crash, .node = 1, .at = 81, .lasts = kForEver}};
  scenario.jobs[0].handling.checkpoint_interval = Duration(0);
  const JobOutcome without = run(scenario, 1).jobs[0];
  scenario.jobs[0].handling.checkpoint_interval = from_seconds(10);
  const JobOutcome with = run(scenario, 1).jobs[0];
  EXPECT_EQ(without.state, scheduler::JobState::Succeeded);
  EXPECT_NEAR(without.mapped_bytes / without.input_bytes, 1.4, 0.01);
  EXPECT_LT(with.mapped_bytes / with.input_bytes, 1.08);
  EXPECT_LT(with.flow_time(), without.flow_time() - 50);
}

TEST(Simulator, APartitionThatIsShortEnoughCostsNothing) {
  Scenario scenario = small_cluster();
  scenario.nodes = {{.count = 1, .slots = 1, .slowness = Distribution::constant(1)}};
  scenario.jobs[0].size.tasks = Distribution::constant(1);
  scenario.jobs[0].times.duration = Distribution::constant(100);
  scenario.node_timeout = 60;
  scenario.outages = {{.kind = Outage::Kind::Partition, .node = 0, .at = 90, .lasts = 20}};
  const JobOutcome job = run(scenario, 1).jobs[0];
  EXPECT_EQ(job.attempts, 1u);
  EXPECT_NEAR(job.mapped_bytes, job.input_bytes, 1);
  EXPECT_NEAR(job.flow_time(), 110 + 0.05 + 0.001, 1e-6);  // its seal is sent when it can be
}

TEST(Simulator, AReportThatAPartitionSwallowsIsSentAgainThoughMoreCameMeanwhile) {
  Scenario scenario = small_cluster();
  scenario.nodes = {{.count = 1, .slots = 2, .slowness = Distribution::constant(1)}};
  scenario.jobs[0].size.tasks = Distribution::constant(2);
  scenario.jobs[0].times.first_durations = {20, 26};  // the first is over 1 + 1 + 20 s after the submission
  scenario.network_delay = Distribution::constant(1);
  scenario.node_timeout = 60;
  scenario.outages = {{.kind = Outage::Kind::Partition, .node = 0, .at = 22.5, .lasts = 10}};
  const JobOutcome job = run(scenario, 1).jobs[0];
  EXPECT_EQ(job.attempts, 2u);
  EXPECT_NEAR(job.mapped_bytes, job.input_bytes, 1);
}

TEST(Simulator, AttemptsOfDaysTellOftenEnoughThatTheyAreAlive) {
  Scenario scenario = small_cluster();
  scenario.heartbeat = scenario.node_timeout = 0;  // the defaults
  scenario.jobs[0].size.tasks = Distribution::constant(4);
  scenario.jobs[0].times.duration = Distribution::constant(86400);
  const JobOutcome job = run(scenario, 1).jobs[0];
  EXPECT_EQ(job.attempts, 4u);
  EXPECT_EQ(job.state, scheduler::JobState::Succeeded);
}

TEST(Outcome, WilsonsIntervalHoldsAtTheEdges) {
  EXPECT_NEAR(share_of(0, 100).high, 0.0370, 1e-4);
  EXPECT_NEAR(share_of(0, 100).low, 0, 1e-15);
  EXPECT_NEAR(share_of(100, 100).low, 0.9630, 1e-4);
  EXPECT_NEAR(share_of(50, 100).low, 0.4038, 1e-4);
  EXPECT_TRUE(std::isnan(share_of(0, 0).value));
}

TEST(Outcome, OnlyJobsWithADeadlineHaveAPocd) {
  std::vector<JobOutcome> jobs(4);
  for (JobOutcome& job : jobs) job.state = scheduler::JobState::Succeeded;
  EXPECT_TRUE(std::isnan(summarise(jobs).pocd.value));
  jobs[0].deadline = 10;
  jobs[0].ended = 11;
  EXPECT_EQ(summarise(jobs).pocd.value, 0);
  jobs[1].deadline = 20;
  jobs[1].ended = 11;
  EXPECT_EQ(summarise(jobs).pocd.value, 0.5);
}

}  // namespace
}  // namespace ontime::lab
