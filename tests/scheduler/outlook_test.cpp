// What is expected of running tasks, from their reports.
#include "scheduler/core/outlook.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/scheduler/four_tasks.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class OutlookTest : public testing::Test {
 protected:
  AttemptId start(JobSpec spec = World::quiet_spec()) {
    world_.register_node("a", 1);
    job_ = world_.submit(1000, 1000, std::move(spec));
    const AttemptId id = world_.take_launch();
    world_.pass(500ms);
    world_.start_attempt(id);
    return id;
  }
  double completion() const { return world_.scheduler().outlook(job_)->completion()[0]; }
  double progress() const { return world_.scheduler().outlook(job_)->progress()[0]; }

  World world_;
  JobId job_;
  Duration age_{0};  // of the attempt, as last reported
};

TEST_F(OutlookTest, NothingIsKnownBeforeTheFirstProgress) {
  start();
  EXPECT_TRUE(std::isnan(completion()));
}

TEST_F(OutlookTest, WhatAWorkerSaysOfItsAttemptsWhenItComesBackCounts) {
  const AttemptId id = start();
  world_.pass(1s);
  world_.register_node("a", 1, {{id, 250}});
  EXPECT_NEAR(progress(), 0.25, 1e-6);
  EXPECT_FALSE(std::isnan(completion()));
}

TEST_F(OutlookTest, TheRestIsExpectedAtTheRateSinceTheFirstRecord) {
  const AttemptId id = start();
  world_.pass(1s);
  world_.heartbeat(id, 250);
  EXPECT_NEAR(completion(), 0.5 + 4, 1e-9);  // launch time does not count as work
  EXPECT_NEAR(progress(), 0.25, 1e-6);
}

TEST_F(OutlookTest, WhatRunningAttemptsTakeCountsAfterATenthOrForThoseWhoCannotWaitAFiftieth) {
  const AttemptId id = start();
  const auto running = [&] { return world_.scheduler().outlook(job_)->running_durations(); };
  const auto early = [&] { return world_.scheduler().outlook(job_)->early_durations(); };
  world_.pass(1s);
  world_.heartbeat(id, 19);
  EXPECT_TRUE(early().empty());
  world_.heartbeat(id, 20);
  ASSERT_EQ(early().size(), 1u);
  EXPECT_NEAR(early()[0], 0.05, 1e-6);
  EXPECT_TRUE(running().empty());
  world_.heartbeat(id, 100);
  ASSERT_EQ(running().size(), 1u);
  EXPECT_NEAR(running()[0], 0.01, 1e-6);
  EXPECT_EQ(early(), running());
}

TEST_F(OutlookTest, HadoopsEstimateCountsTheLaunchAsWork) {
  JobSpec spec = World::quiet_spec();
  spec.estimator = "hadoop";
  const AttemptId id = start(spec);
  world_.pass(1s);
  world_.heartbeat(id, 250);
  EXPECT_NEAR(completion(), 1.5 * 4, 1e-9);
}

TEST_F(OutlookTest, AnAttemptThatMapsNothingIsCalledStandingAfterAWhile) {
  const AttemptId id = start();
  for (int second = 0; second < 20; ++second) {
    world_.pass(1s);
    world_.heartbeat(id, 0);
  }
  EXPECT_EQ(completion(), std::numeric_limits<double>::infinity());
}

// As its runner tells: so long in its start.
scheduler::Event in_start(const Attempt& attempt, AttemptId id, double age) {
  return event::Heartbeat{attempt.node, {{id, attempt.offset, 0, 0, {.age = from_seconds(age)}}}};
}

TEST_F(OutlookTest, OfAnAttemptInItsStartNothingIsKnownBeforeAnyFirstByteHasCome) {
  const AttemptId id = start();
  for (int second = 1; second <= 20; ++second) {
    world_.pass(1s);
    world_.send(in_start(world_.attempt(id), id, second));
  }
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Running);
  EXPECT_TRUE(std::isnan(completion()));
  EXPECT_FALSE(world_.scheduler().outlook(job_)->slow_first());
  EXPECT_FALSE(world_.scheduler().outlook(job_)->is_late_without_pace(world_.attempt(id)));
}

// The others' came after 0.1 s, and they mapped for 3 s.
TEST_F(OutlookTest, AFirstByteThatIsLateByLessThanASecondMakesNoStraggler) {
  world_.register_node("a", 3);
  job_ = world_.submit(3000, 1000);
  const auto attempt = [&](std::uint32_t task) { return AttemptId{{job_, task}, 0}; };
  for (const std::uint32_t task : {0u, 1u, 2u}) world_.start_attempt(attempt(task));
  world_.pass(3100ms);
  for (const std::uint32_t task : {0u, 1u}) {
    const ByteRange range{task * 1000ULL, task * 1000ULL + 1000};
    const SegmentTimes times{from_seconds(3.1), from_seconds(0.1), from_seconds(2.8), 900, 10};
    world_.send(event::SegmentSealed{NodeId{1}, attempt(task), range, range.end, {}, {}, times});
  }
  const Outlook& outlook = *world_.scheduler().outlook(job_);
  const AttemptId id = attempt(2);
  world_.send(in_start(world_.attempt(id), id, 0.9));
  EXPECT_FALSE(outlook.is_late_without_pace(world_.attempt(id)));
  EXPECT_NEAR(outlook.completion()[2], 3.1 + 0.9 + 3, 0.1) << "at the pace of the others";
  world_.send(in_start(world_.attempt(id), id, 1.1));
  EXPECT_TRUE(outlook.is_late_without_pace(world_.attempt(id)));
}

// Before a segment is sealed, by what runs. One that is late to begin made every start of its job seem as long.
TEST_F(OutlookTest, AUsualStartIsTheMedianOfThoseThatWereSeen) {
  world_.register_node("a", 4);
  job_ = world_.submit(4000, 1000);
  const Outlook& outlook = *world_.scheduler().outlook(job_);
  const auto start = [&] { return outlook.fixed(world_.cluster(), world_.job(job_), math::Beginning::Cold); };
  for (const std::uint32_t task : {0u, 1u, 2u, 3u}) world_.start_attempt({{job_, task}, 0});
  world_.pass(4s);
  for (const std::uint32_t task : {3u, 0u, 1u, 2u}) {
    const AttemptId id{{job_, task}, 0};
    world_.send(in_start(world_.attempt(id), id, 4));
    if (task == 1) {
      EXPECT_EQ(start(), 4) << "most are not over";
    }
    if (task == 3) continue;
    world_.send(event::Heartbeat{NodeId{1}, {{id, task * 1000 + 100ULL, 100, 0, {4s, 1s, 3s, 50, 5}}}});
  }
  EXPECT_EQ(start(), 1);
}

// A job of millions looked through all of them for the few that are there, at every checkpoint of an attempt.
TEST_F(OutlookTest, OfRunningTasksOnlyThoseAreKeptThatRun) {
  world_.register_node("a", 2);
  job_ = world_.submit(8000, 1000);
  const Outlook& outlook = *world_.scheduler().outlook(job_);
  for (std::uint32_t task = 0; task < 8; ++task) {
    const AttemptId id{{job_, task}, 0};
    world_.pass(1s);
    world_.start_attempt(id);
    EXPECT_EQ(outlook.launch_seconds().size(), task < 2 ? 1u : 0u) << "the later ones are warm";
    world_.pass(1s);
    world_.heartbeat(id, task * 1000 + 500);
    EXPECT_EQ(outlook.running_durations().size(), 1u);
    if (task == 7) break;  // with the last one the job ends, and its outlook
    world_.seal_all(id);
    EXPECT_EQ(outlook.running_durations().size(), 0u);
    EXPECT_TRUE(outlook.launch_seconds().empty());
  }
}

// On a busy machine all attempts of a job seemed 30 times slower than they were for their first quarter of a second,
// and all were divided.
TEST_F(OutlookTest, APaceOfLessThanASecondSaysNothingBeforeATenthIsMapped) {
  const AttemptId id = start();
  const auto report = [&](std::uint64_t mapped, double age) {
    world_.pass(from_seconds(age) - age_);
    age_ = from_seconds(age);
    const SegmentTimes times{age_, 10ms, age_ - 10ms, mapped - 5, 5};
    world_.send(event::Heartbeat{world_.attempt(id).node, {{id, mapped, mapped, 0, times}}});
  };
  report(10, 0.3);
  EXPECT_TRUE(std::isnan(completion()));
  report(110, 0.5);
  EXPECT_LT(completion(), 10);
  report(120, 1.3);
  EXPECT_GT(completion(), 10);
}

TEST_F(OutlookTest, APaceOfASecondIsKnownHoweverLittleItMapped) {
  const AttemptId id = start();
  world_.pass(2s);
  world_.send(event::Heartbeat{world_.attempt(id).node, {{id, 10, 10, 0, {2s, 10ms, 1900ms, 5, 5}}}});
  EXPECT_GT(completion(), 300);
}

class OutlookOfFourTest : public test::FourTasksTest<> {
 protected:
  // Of the last attempt, which has mapped a fiftieth in so many seconds.
  bool is_pace_known(double seconds) {
    const AttemptId id = attempt(3);
    const SegmentTimes times{from_seconds(seconds + 0.01), 10ms, from_seconds(seconds), 15, 5};
    world_.send(event::Heartbeat{world_.attempt(id).node, {{id, 3020, 20, 0, times}}});
    return world_.scheduler().outlook(job_)->pace(id, world_.attempt(id)).known;
  }
};

TEST_F(OutlookOfFourTest, APaceIsKnownAfterATenthOfTheTimeThatOthersTook) {
  run(World::quiet_spec(), 0);
  EXPECT_FALSE(is_pace_known(0.4)) << "two others are no measure";
  seal(2, test::times_of(3, 0, 2.7, 10));
  EXPECT_FALSE(is_pace_known(0.2));
  EXPECT_TRUE(is_pace_known(0.4));
}

TEST_F(OutlookTest, ADoneTaskIsNoStraggler) {
  const AttemptId id = start();
  world_.seal_all(id);
  world_.register_node("b", 1);
  EXPECT_EQ(world_.scheduler().outlook(job_), nullptr);  // and the job runs no longer
}

TEST_F(OutlookTest, ATaskIsDoneWhenTheLastOfItsPiecesIs) {
  const AttemptId id = start();
  world_.pass(1s);
  world_.heartbeat(id, 100);
  world_.answer_cut(id, 400, true);
  EXPECT_TRUE(std::isnan(completion()));  // the tail waits for a slot
  EXPECT_NEAR(progress(), 0.1, 1e-6);
}

TEST_F(OutlookTest, WhatAttemptsOfAJobTookIsKeptForTheNextJobOfTheSameApplication) {
  const AttemptId id = start();
  world_.pass(2s);
  world_.heartbeat(id, 999);
  world_.seal_all(id);
  const math::DurationSample* profile = world_.cluster().find_profile(world_.job(job_).spec);
  ASSERT_NE(profile, nullptr);
  ASSERT_EQ(profile->finished().size(), 1u);
  EXPECT_NEAR(profile->finished()[0], 0.002, 1e-9);  // seconds per byte
  ASSERT_TRUE(profile->mean_launch());
  EXPECT_NEAR(*profile->mean_launch(), 0.5, 1e-9);
  world_.restart();
  EXPECT_NE(world_.cluster().find_profile(world_.job(job_).spec), nullptr);
  JobSpec other = world_.job(job_).spec;
  other.parameters["x"] = "y";
  EXPECT_EQ(world_.cluster().find_profile(other), nullptr);
}

TEST(ChooseDurations, PrefersTheProfileThenTheJobThenFlags) {
  using namespace math;
  DurationSample few;
  few.add_finished(2);
  DurationSample many;
  for (int i = 0; i < 10; ++i) many.add_finished(3.0 + i);
  DurationHints hints;
  hints.t_min = 400;  // for a split of 100 bytes
  EXPECT_EQ(choose_durations(&many, many, {}, hints, 100).source, DurationSource::Profile);
  EXPECT_EQ(choose_durations(&few, many, {}, hints, 100).source, DurationSource::Job);
  EXPECT_EQ(choose_durations(&many, many, {}, hints, 100).t_min, 3);
  const Durations flagged = choose_durations(&few, few, {}, hints, 100);
  EXPECT_EQ(flagged.source, DurationSource::Flags);
  EXPECT_EQ(flagged.t_min, 4);
  hints.only = DurationSource::Flags;
  EXPECT_EQ(choose_durations(&many, many, {}, hints, 100).source, DurationSource::Flags);
}

TEST(ChooseDurations, FallsBackToTheFastestAttemptThatRuns) {
  using namespace math;
  const double running[] = {5, 2.5, 8};
  const Durations guess = choose_durations(nullptr, {}, running, {}, 100);
  EXPECT_EQ(guess.t_min, 2.5);
  EXPECT_EQ(guess.beta, kAssumedBeta);
  const Durations nothing = choose_durations(nullptr, {}, {}, {}, 100);
  EXPECT_EQ(nothing.source, DurationSource::Assumed);
  EXPECT_EQ(nothing.t_min, 0);
}

TEST_F(OutlookOfFourTest, WhatSegmentsCostToBeginIsKnownAfterARestart) {
  run();
  const auto known = [&] { return world_.scheduler().outlook(job_)->sample(); };
  const math::DurationSample before = known();
  ASSERT_EQ(before.fixed(math::Beginning::Cold).size(), 2u);
  world_.restart();
  for (int i = 0; i < 2; ++i) {
    const math::DurationSample after = known();
    EXPECT_EQ(after.usual_fixed(math::Beginning::Cold), before.usual_fixed(math::Beginning::Cold));
    EXPECT_EQ(after.slow_first(), before.slow_first());
    EXPECT_EQ(after.usual_first(), before.usual_first());
    world_.restart();
  }
  seal(2, test::times_of(11, 8, 10.7, 10));
  EXPECT_EQ(known().firsts().size(), 3u);
}

// When it was ready was told to the master before.
TEST_F(OutlookTest, HowLongALaunchBeforeARestartTookIsNotKnown) {
  world_.register_node("a", 1);
  job_ = world_.submit(2000, 1000, World::quiet_spec());
  world_.seal_all(world_.take_launch());
  const AttemptId id = world_.take_launch();
  ASSERT_TRUE(world_.attempt(id).is_warm);
  world_.restart();
  world_.register_node("a", 1, {{.attempt = id, .offset = 1500}});
  world_.pass(1s);
  world_.fail(id);
  const math::DurationSample& sample = world_.scheduler().outlook(job_)->sample();
  EXPECT_TRUE(sample.launches().empty());
  EXPECT_TRUE(sample.warm_launches().empty());
}

}  // namespace
}  // namespace ontime::scheduler
