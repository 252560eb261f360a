#include "scheduler/forecast/forecast.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ForecastTest : public testing::Test {
 protected:
  static JobSpec due(Duration deadline) {
    JobSpec spec = World::quiet_spec();
    spec.deadline = deadline;
    return spec;
  }
  // Durations as the user would give them.
  static JobSpec known(JobSpec spec, const std::string& t_min, const std::string& beta) {
    spec.policy_parameters = {{"t_min", t_min}, {"beta", beta}, {"t_avg", "1s"}};
    return spec;
  }
  // Nodes go on reporting meanwhile.
  void pass(Duration duration) {
    for (; duration > 0s; duration -= 1s) {
      for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
      world_.pass(1s);
    }
  }
  std::vector<AttemptId> start_all() {
    std::vector<AttemptId> started;
    for (const auto& launch : world_.take<action::LaunchAttempt>()) {
      world_.start_attempt(launch.attempt);
      started.push_back(launch.attempt);
    }
    return started;
  }
  // A job of `bytes` in splits of 100, and its first attempt, which has mapped 10 a second for 5 s.
  std::pair<JobId, AttemptId> half_way(std::uint64_t bytes, Duration deadline) {
    world_.register_node("a");
    const JobId job = world_.submit(bytes, 100, due(deadline));
    const AttemptId attempt = start_all().front();
    pass(5s);
    world_.heartbeat(attempt, 50);
    return {job, attempt};
  }
  Forecast of(JobId job) { return forecast(world_.scheduler(), job, world_.now()).value(); }

  static Settings with_any_parameters() {
    Settings settings;
    settings.make_policy = [](std::string_view, const StringMap&) { return make_policy("none", {}); };
    return settings;
  }
  World world_{with_any_parameters()};
};

TEST_F(ForecastTest, ARunningAttemptIsExpectedWhereItsPaceLeads) {
  const Forecast seen = of(half_way(100, 10100ms).first);
  EXPECT_NEAR(seen.median, 10, 0.1);
  EXPECT_LT(seen.low, 9.7);
  EXPECT_GT(seen.high, 10.3);
  EXPECT_GT(seen.pocd, 0.5);
  EXPECT_LT(seen.pocd, 1);
}

TEST_F(ForecastTest, SealingTakesTheTimeThatItTookOthersOfTheJob) {
  const auto [job, first] = half_way(200, 60s);
  pass(7s);  // two seconds more than it takes to map
  world_.seal_all(first);
  const AttemptId second = start_all().front();
  pass(5s);
  world_.heartbeat(second, 150);
  EXPECT_NEAR(of(job).median, 12 + 10 + 2, 0.2);
}

TEST_F(ForecastTest, UncertaintyShrinksWithProgress) {
  world_.register_node("a");
  const JobId job = world_.submit(100, 100, due(11s));
  const AttemptId attempt = start_all().front();
  pass(2s);
  world_.heartbeat(attempt, 20);
  const Forecast early = of(job);
  pass(7s);
  world_.heartbeat(attempt, 90);
  const Forecast late = of(job);
  EXPECT_NEAR(late.median, early.median, 0.2);
  EXPECT_LT(late.high - late.low, (early.high - early.low) / 5);
  EXPECT_GT(late.pocd, early.pocd);
}

TEST_F(ForecastTest, AJobIsLessLikelyInTimeThanAnyOfItsTasks) {
  world_.register_node("a", 20);
  const JobId one = world_.submit(100, 100, due(12s));
  const JobId many = world_.submit(1000, 100, due(12s));
  const auto attempts = start_all();
  pass(5s);
  for (const AttemptId attempt : attempts) world_.heartbeat(attempt, attempt.task.index * 100 + 50);
  EXPECT_NEAR(of(many).pocd, std::pow(of(one).pocd, 10), 0.1);
  EXPECT_GT(of(many).median, of(one).median);
}

TEST_F(ForecastTest, SpeedsThatHoldMakeItSurer) {
  world_.register_node("a", 40);
  const JobId steady = world_.submit(20 * 100, 100, due(14s));
  const JobId unsteady = world_.submit(20 * 100, 100, due(14s));
  const auto attempts = start_all();
  for (int second = 1; second <= 6; ++second) {
    for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
    world_.pass(1s);
    for (const AttemptId attempt : attempts) {
      const bool is_steady = attempt.task.job == steady;
      const int at = is_steady ? 10 * second : (second <= 2 ? 2 * second : 14 * second - 24);  // both are at 60 then
      world_.heartbeat(attempt, attempt.task.index * 100 + static_cast<std::uint64_t>(at));
    }
  }
  const Forecast sure = of(steady);
  const Forecast unsure = of(unsteady);
  EXPECT_GT(sure.pocd, 0.95);
  EXPECT_GT(unsure.high - unsure.low, 2 * (sure.high - sure.low));
}

// Races everything once, six seconds after submission.
class CopyAll final : public Policy {
 public:
  Plan plan(const View& view) override {
    Plan plan;
    for (const JobView& job : view.jobs) {
      if (job.since_submission(view.now) < 6) plan.next_check = job.job->submitted_at + 6s;
      for (std::uint32_t index = 0; !plan.next_check && index < job.job->tasks.size(); ++index) {
        Speculate decision;
        decision.task = {job.id, index};
        plan.add(decision);
      }
    }
    return plan;
  }
};

TEST_F(ForecastTest, ACopyMakesItLikelier) {
  Settings settings;
  settings.make_policy = [](std::string_view, const StringMap&) { return std::make_unique<CopyAll>(); };
  World world(settings);
  world.register_node("a", 2);
  const JobId job = world.submit(100, 100, known(due(30s), "10s", "2"));
  const AttemptId original = world.take_launch();
  world.start_attempt(original);
  world.pass(4s);
  world.heartbeat(original, 10);
  world.pass(1s);
  const double alone = forecast(world.scheduler(), job, world.now())->pocd;
  world.pass(1s);
  EXPECT_EQ(world.job(job).live.size(), 2u);
  const double raced = forecast(world.scheduler(), job, world.now())->pocd;
  EXPECT_LT(alone, 0.3);
  EXPECT_NEAR(raced, 1 - (1 - alone) * std::pow(10.0 / 23, 2), 0.02);
}

TEST_F(ForecastTest, WithoutADeadlineThereIsATimeButNoProbability) {
  world_.register_node("a");
  const JobId job = world_.submit(100, 100);
  const AttemptId attempt = start_all().front();
  pass(5s);
  world_.heartbeat(attempt, 50);
  EXPECT_TRUE(std::isnan(of(job).pocd));
  EXPECT_NEAR(of(job).median, 10, 0.1);
}

TEST_F(ForecastTest, NothingIsSaidWhenNothingIsKnown) {
  const JobId job = world_.submit(100, 100, due(12s));
  EXPECT_TRUE(std::isnan(of(job).pocd));
  EXPECT_TRUE(std::isnan(of(job).median));
  EXPECT_EQ(of(job).waiting, 1u);
  EXPECT_EQ(of(job).unknown, 1u);
}

TEST_F(ForecastTest, AJobWithoutAWorkerHasNoTime) {
  const JobId job = world_.submit(100, 100, known(due(60s), "10s", "2"));
  EXPECT_TRUE(std::isnan(of(job).pocd));
  world_.register_node("a");
  EXPECT_GT(of(job).pocd, 0.9);
}

TEST_F(ForecastTest, AYoungAttemptFollowsTheTailOfEarlierOnes) {
  world_.register_node("a");
  const JobId job = world_.submit(100, 100, known(due(21s), "10s", "2"));
  EXPECT_NEAR(of(job).pocd, 1 - std::pow(10.0 / 20, 2), 0.03);  // launched in a second
  start_all();
  EXPECT_NEAR(of(job).pocd, 1 - std::pow(10.0 / 21, 2), 0.03);
}

TEST_F(ForecastTest, WhoHasRunLongIsLikelyToRunLonger) {
  world_.register_node("a");
  const JobId job = world_.submit(100, 100, known(due(40s), "1s", "1"));
  start_all();
  pass(1s);
  EXPECT_NEAR(of(job).pocd, 1 - 1 / 40.0, 0.02);
  pass(1s);  // twice t_min, and not done
  EXPECT_NEAR(of(job).pocd, 1 - 2 / 40.0, 0.02);
}

TEST_F(ForecastTest, WaitingTasksTakeTheirTurns) {
  world_.register_node("a", 2);
  const JobId few = world_.submit(200, 100, known(due(60s), "10s", "20"));
  const JobId more = world_.submit(1200, 100, known(due(60s), "10s", "20"));
  EXPECT_NEAR(of(few).median, 11, 1);
  EXPECT_EQ(of(more).waiting, 12u);
  EXPECT_GT(of(more).median, 60);
  EXPECT_LT(of(more).median, 90);
  EXPECT_LT(of(more).pocd, 0.01);
}

// Twelve splits of three seconds each on six slots.
TEST_F(ForecastTest, TheProgressOfRunningAttemptsIsCreditedToWhatWaitsForTheirSlots) {
  world_.register_node("a", 6);
  JobSpec spec = due(8s);
  spec.policy_parameters = {{"t_avg", "10ms"}};
  const JobId job = world_.submit(1200, 100, spec);
  const auto attempts = start_all();
  world_.pass(1500ms);
  for (const AttemptId attempt : attempts) world_.heartbeat(attempt, attempt.task.index * 100 + 50);
  EXPECT_NEAR(of(job).median, 6, 0.8);  // all that is known are six attempts, but they are all alike
  EXPECT_LT(of(job).high, 9);
  EXPECT_GT(of(job).pocd, 0.7);
}

TEST_F(ForecastTest, EachWaitingSplitTakesWhatItsOwnBytesTake) {
  const auto median_with = [](std::vector<std::uint64_t> sizes) {
    World world(with_any_parameters());
    world.register_node("a", 2);
    JobSpec spec = known(due(100s), "10s", "40");  // of a mean split
    spec.split_bytes = 100;
    for (const std::uint64_t bytes : sizes) {
      spec.inputs.push_back({"/in/" + std::to_string(spec.inputs.size()), bytes, "0", Codec::Plain});
    }
    return forecast(world.scheduler(), world.submit(spec), world.now())->median;
  };
  // 23.5 bytes take ten seconds. On two slots: the large one beside all the small ones, or alone behind them.
  const double large_first = median_with({100, 10, 10, 10, 10, 10, 10, 28});
  const double large_last = median_with({28, 10, 10, 10, 10, 10, 10, 100});
  EXPECT_NEAR(large_first, 46, 3);
  EXPECT_NEAR(large_last, 65, 4);
}

TEST_F(ForecastTest, WhatAnotherJobHasInFrontOfItInTheQueueComesFirst) {
  world_.register_node("a", 2);
  const auto long_known = [&](std::uint64_t bytes) { return world_.submit(bytes, 100, known(due(200s), "10s", "40")); };
  const JobId first = long_known(1000);
  const JobId second = long_known(400);
  EXPECT_NEAR(of(first).median, 57, 6);
  EXPECT_NEAR(of(second).median, 79, 9);
}

TEST_F(ForecastTest, TheSameQuestionHasTheSameAnswer) {
  world_.register_node("a", 3);
  const JobId job = world_.submit(2000, 100, known(due(90s), "10s", "3"));
  const Forecast once = of(job);
  const Forecast again = of(job);
  EXPECT_EQ(once.pocd, again.pocd);
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
}

TEST_F(ForecastTest, AHundredThousandTasksTakeTheirTurns) {
  world_.register_node("a", 100);
  const JobId job = world_.submit(10'000'000, 100, known(due(20'000s), "10s", "4"));
  start_all();
  const Forecast seen = of(job);
  EXPECT_NEAR(seen.median, 1000 * (10 * 4.0 / 3 + 0.1), 200);  // all but the first hundred find their process there
  EXPECT_LT(seen.high - seen.low, 0.1 * seen.median);
}

TEST_F(ForecastTest, AnAttemptThatStandsStillAndIsNeverEndedIsNeverDone) {
  world_.register_node("a");
  JobSpec spec = due(60s);
  spec.attempt_timeout = kNoTimeout;
  const JobId job = world_.submit(100, 100, spec);
  const AttemptId attempt = start_all().front();
  pass(20s);
  world_.heartbeat(attempt, 0);
  EXPECT_EQ(of(job).pocd, 0);
  EXPECT_EQ(of(job).median, kInfinity);
  EXPECT_EQ(of(job).standing, 1u);
}

TEST_F(ForecastTest, AnAttemptThatStandsStillIsEndedAndItsWorkBeginsAgain) {
  world_.register_node("a");
  JobSpec spec = known(due(60s), "10s", "20");
  spec.attempt_timeout = 30s;
  const JobId job = world_.submit(100, 100, spec);
  const AttemptId attempt = start_all().front();
  pass(20s);
  world_.heartbeat(attempt, 0);
  EXPECT_EQ(of(job).standing, 1u);
  EXPECT_NEAR(of(job).median, 30 + 1 + 10.35, 0.5);
  EXPECT_GT(of(job).pocd, 0.95);
}

// Nobody knows how long its work will take, but the deadline has passed before it can begin again.
TEST_F(ForecastTest, AnAttemptThatStandsStillIsLateIfItIsNotEndedBeforeTheDeadline) {
  world_.register_node("a", 2);
  JobSpec spec = due(60s);
  const JobId early = world_.submit(100, 100, spec);
  spec.deadline = 700s;
  const JobId late = world_.submit(100, 100, spec);  // an attempt of which nothing is known is ended after 600 s
  const auto attempts = start_all();
  pass(20s);
  for (const AttemptId attempt : attempts) world_.heartbeat(attempt, attempt.task.index * 100);
  EXPECT_EQ(of(early).pocd, 0);
  EXPECT_TRUE(std::isnan(of(late).pocd));
  EXPECT_TRUE(std::isnan(of(early).median));
}

TEST_F(ForecastTest, AnAttemptThatOutlivesTheMasterKeepsItsPace) {
  world_.register_node("a");
  const JobId job = world_.submit(100, 100, due(60s));
  const AttemptId attempt = start_all().front();
  pass(20s);
  world_.heartbeat(attempt, 40);
  world_.restart();
  world_.register_node("a", 1, {{.attempt = attempt, .offset = 40}});
  EXPECT_NEAR(of(job).median, 50, 0.5);
  pass(5s);
  world_.heartbeat(attempt, 50);
  EXPECT_NEAR(of(job).median, 50, 0.5);
  EXPECT_EQ(of(job).standing, 0u);
}

TEST_F(ForecastTest, AMissedDeadlineHasNoProbabilityLeft) {
  world_.register_node("a");
  const JobId job = world_.submit(100, 100, due(4s));
  const AttemptId attempt = start_all().front();
  pass(5s);
  world_.heartbeat(attempt, 50);
  EXPECT_EQ(of(job).pocd, 0);
  EXPECT_NEAR(of(job).median, 10, 0.1);
}

TEST_F(ForecastTest, WhatIsMappedIsInTimeAndWhatHasEndedNeedsNoForecast) {
  world_.register_node("a");
  const JobId job = world_.submit(100, 100, due(10s));
  world_.seal_all(start_all().front());
  EXPECT_EQ(of(job).pocd, 1);
  world_.commit(job);
  EXPECT_FALSE(forecast(world_.scheduler(), job, world_.now()).has_value());
}

TEST_F(ForecastTest, TellsWhatItRestsOn) {
  world_.register_node("a");
  const JobId job = world_.submit(100, 100, known(due(21s), "10s", "2"));
  EXPECT_EQ(of(job).durations.source, math::DurationSource::Flags);
  EXPECT_NEAR(of(job).durations.t_min * 100, 10, 1e-9);
}

// Any number of attempts anywhere: probabilities are probabilities, the range is in order, and more time never hurts.
RC_GTEST_PROP(ForecastProperty, IsConsistentWhateverRuns, ()) {
  World world;
  world.register_node("a", 8);
  std::vector<JobId> jobs;
  const auto tasks = *rc::gen::inRange<std::uint64_t>(1, 9);
  for (const auto deadline : {20s, 40s, 400s}) {
    JobSpec spec = World::quiet_spec();
    spec.deadline = deadline;
    jobs.push_back(world.submit(100 * tasks, 100, spec));
  }
  world.register_node("b", static_cast<std::uint32_t>(2 * tasks));
  const auto offsets = *rc::gen::container<std::vector<std::uint64_t>>(tasks, rc::gen::inRange<std::uint64_t>(1, 100));
  const auto launches = world.take<action::LaunchAttempt>();
  for (const auto& launch : launches) world.start_attempt(launch.attempt);
  for (int second = 0; second < 4; ++second) {
    for (const auto& [id, node] : world.cluster().nodes()) world.heartbeat(id);
    world.pass(1s);
  }
  for (const auto& launch : launches) {
    world.heartbeat(launch.attempt, launch.range.begin + offsets[launch.attempt.task.index]);
  }
  double before = 0;
  for (const JobId job : jobs) {
    const Forecast seen = forecast(world.scheduler(), job, world.now()).value();
    RC_ASSERT(seen.low <= seen.median && seen.median <= seen.high);
    if (world.job(job).live.size() != tasks) continue;
    RC_ASSERT(seen.pocd >= before);
    RC_ASSERT(seen.pocd <= 1);
    before = seen.pocd;
  }
}

}  // namespace
}  // namespace ontime::scheduler
