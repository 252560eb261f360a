// What a copy, a cut or a replacement is worth where segments need a start: of four tasks two took 8 s to start and 3 s
// to map 1000 bytes.
#include "scheduler/core/worth.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tests/scheduler/four_tasks.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::times_of;
using test::World;

class WorthTest : public test::FourTasksTest<> {
 protected:
  template <class Decision>
  Worth worth(const Decision& decision) const {
    return Appraiser(world_.cluster(), *world_.scheduler().outlook(job_), job_, world_.now()).appraise(decision);
  }

  // Of the healthy attempt.
  bool is_declined() const { return world_.job(job_).declined.contains(2); }
  std::size_t attempts() const { return world_.cluster().find_task({job_, 2})->attempts.size(); }
  bool runs() const { return is_live(world_.attempt(attempt(2)).state); }
};

TEST_F(WorthTest, ACopyOfAStragglerIsWorthItsStartAndOneOfAHealthyAttemptIsNot) {
  run();
  report(2, 900, times_of(10.9, 8, 10.7, 9));
  report_slow();
  const Worth slow = worth(about(3));
  EXPECT_TRUE(slow.is_binding);
  EXPECT_TRUE(slow.is_worth);
  EXPECT_NEAR(slow.with, 11 + 8 + 3, 1);
  EXPECT_GT(slow.gain(), 8);
  const Worth healthy = worth(about(2));
  EXPECT_TRUE(healthy.is_binding);
  EXPECT_FALSE(healthy.is_worth);
}

TEST_F(WorthTest, WhatIsNotWorthItIsNotDone) {
  run();
  report(2, 900, times_of(10.9, 8, 10.7, 9));
  order(about(2));
  EXPECT_TRUE(is_declined());
  EXPECT_EQ(attempts(), 1u);
  order(EndAttempt{attempt(2), Reason::Replaced});
  EXPECT_TRUE(runs());
}

TEST_F(WorthTest, UnlessThePolicyIsToBeAsWritten) {
  JobSpec spec = World::quiet_spec();
  spec.policy_parameters["as_written"] = "yes";
  run(spec);
  report(2, 900, times_of(10.9, 8, 10.7, 9));
  order(about(2));
  EXPECT_FALSE(is_declined());
  EXPECT_EQ(attempts(), 2u);
  order(EndAttempt{attempt(2), Reason::Replaced});
  EXPECT_FALSE(runs());
}

TEST_F(WorthTest, OrAnotherEngineRunsTheJob) {
  JobSpec spec = World::quiet_spec();
  spec.advised = true;
  run(spec);
  report(2, 900, times_of(10.9, 8, 10.7, 9));
  order(about(2));
  EXPECT_FALSE(is_declined());
  EXPECT_EQ(world_.take<action::LaunchAttempt>().size(), 1u);
  order(EndAttempt{attempt(2), Reason::Replaced});
  EXPECT_FALSE(runs());
}

TEST_F(WorthTest, NothingBindsWhereSegmentsNeedNoStart) {
  run(World::quiet_spec(), 0);
  report(2, 900, times_of(2.9, 0, 2.7, 9));
  EXPECT_FALSE(worth(about(2)).is_binding);
}

TEST_F(WorthTest, AnAttemptInItsStartIsRacedButNeitherCutNorEnded) {
  run();
  report(3, 0, times_of(40, 0, 0, 0));
  EXPECT_TRUE(worth(about(3)).is_worth) << "five times as long as others";
  EXPECT_FALSE(worth(cut(3, 3500)).is_worth);
  EXPECT_FALSE(worth(EndAttempt{attempt(3), Reason::Replaced}).is_worth);
}

// Its worker does not say how it comes along in its segment, and it maps nothing.
TEST_F(WorthTest, OneThatStandsForAllThatIsKnownIsRacedAndReplaced) {
  run();
  for (int second = 0; second < 20; ++second) {
    wait(1);
    report(3, 0, {});
  }
  EXPECT_EQ(worth(about(3)).without, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(worth(about(3)).is_worth);
  EXPECT_TRUE(worth(EndAttempt{attempt(3), Reason::Replaced}).is_worth);
}

TEST_F(WorthTest, OneThatIsSlowMayBeReplacedAndOneThatIsNotMayNot) {
  run();
  report_slow();
  report(2, 900, times_of(10.9, 8, 10.7, 9));
  EXPECT_TRUE(worth(EndAttempt{attempt(3), Reason::Replaced}).is_worth);
  EXPECT_FALSE(worth(EndAttempt{attempt(2), Reason::Replaced}).is_worth);
}

// Doing nothing would miss the deadline by 0.4 s, as far as anybody knows after one reading.
TEST_F(WorthTest, AnAttemptThatShowsNoPaceIsRacedAndNotReplacedUntilItIsLate) {
  JobSpec spec = World::quiet_spec();
  spec.deadline = 22500ms;
  run(spec);
  report(3, 100, times_of(11.9, 8.2, 8.2, 1));
  EXPECT_TRUE(worth(about(3)).is_worth);
  EXPECT_FALSE(worth(EndAttempt{attempt(3), Reason::Replaced}).is_worth);
  EXPECT_FALSE(worth(cut(3, 3500)).is_worth);
  report(3, 100, times_of(12.1, 8.2, 8.2, 1));
  EXPECT_TRUE(worth(EndAttempt{attempt(3), Reason::Replaced}).is_worth);
}

TEST_F(WorthTest, ATailIsGivenAwayIfItsRestTakesLongerThanAStart) {
  run();
  report_slow();
  EXPECT_TRUE(worth(cut(3, 3300)).is_worth);
  report(3, 900, times_of(40, 8, 39, 9));  // 3 s are left
  EXPECT_FALSE(worth(cut(3, 3950)).is_worth);
}

TEST_F(WorthTest, EachTimeTheSameBytesAreBegunAgainItTakesTwiceTheGain) {
  run();
  const SegmentTimes slow = times_of(24, 8, 23.5, 3, 300);
  std::uint32_t number = 0;
  for (; number < 4; ++number) {
    const AttemptId id = attempt(3, number);
    world_.send(event::Heartbeat{world_.attempt(id).node, {{id, 3300, 300, 0, slow}}});
    if (!worth(about(3)).is_worth) break;
    world_.fail(id, "boom", FailureKind::Node);
    wait(2);
    world_.start_attempt(attempt(3, number + 1));
  }
  EXPECT_GT(number, 0u);
  EXPECT_LT(number, 4u) << "the fourth copy of the same bytes is as good as the first";
}

TEST_F(WorthTest, TheTimeOfBytesThatAreTakenAtOnceCountsOnce) {
  run(World::quiet_spec(), 8, 1);
  report(3, 0, times_of(11, 0, 0, 0));
  EXPECT_TRUE(world_.scheduler().outlook(job_)->takes_at_once(world_.cluster(), world_.job(job_)));
  EXPECT_NEAR(worth(about(3)).without, 11 + 11 * 0.15, 0.1) << "it is about to end";
  report(3, 0, times_of(40, 0, 0, 0));
  EXPECT_NEAR(worth(about(3)).with, 11 + 11, 0.1);
}

// Without it at 24 s, with it at 22 s, which is less than half a start.
TEST_F(WorthTest, ASmallGainIsNotWorthACopy) {
  run();
  report(3, 264, times_of(11, 8, 10.9, 10));
  const Worth small = worth(about(3));
  EXPECT_NEAR(small.gain(), 2, 0.5);
  EXPECT_FALSE(small.is_worth);
}

TEST_F(WorthTest, UnlessItSavesTheDeadline) {
  JobSpec spec = World::quiet_spec();
  spec.deadline = 23s;
  run(spec);
  report(3, 264, times_of(11, 8, 10.9, 10));
  EXPECT_TRUE(worth(about(3)).is_worth);
}

// What they have worked on their segments is lost: 31 s and then 20 s and more, of a job that needs 44 s.
class EndsOfAttempts : public WorthTest {
 protected:
  // The latest attempt of the task says nothing for long, and is to be ended.
  AttemptState end_next() {
    const AttemptId id =
        attempt(3, static_cast<std::uint32_t>(world_.cluster().find_task({job_, 3})->attempts.size() - 1));
    if (world_.attempt(id).state == AttemptState::Launching) world_.start_attempt(id);
    for (int second = 0; second < 20; ++second) {
      wait(1);
      world_.send(event::Heartbeat{world_.attempt(id).node, {{id, 3000, 0, 0, {}}}});
    }
    price_ = worth(EndAttempt{id, Reason::Replaced}).price;
    order(EndAttempt{id, Reason::Replaced});
    wait(1);
    return world_.attempt(id).state;
  }
  double price_ = 0;
};

TEST_F(EndsOfAttempts, CostWhatTheyHaveWorkedAndTheirJobCannotPayForMany) {
  run();
  EXPECT_EQ(end_next(), AttemptState::Killed);
  EXPECT_NEAR(price_, 31, 1);
  EXPECT_NEAR(world_.job(job_).spent, 31, 2);
  EXPECT_EQ(end_next(), AttemptState::Running);
  EXPECT_EQ(world_.job(job_).declined.at(3).reason, Reason::BudgetSpent);
}

TEST_F(EndsOfAttempts, AreNotCountedWhereThePolicyIsToBeAsWritten) {
  JobSpec spec = World::quiet_spec();
  spec.policy_parameters["as_written"] = "yes";
  run(spec);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(end_next(), AttemptState::Killed) << i;
}

// Of a second job, by what the first one has shown: 8 s to start and 3 s for 1000 bytes, of one task 4 times as long.
class BeforeTheLaunch : public WorthTest {
 protected:
  template <class Decision>
  void submit(Decision decision, std::uint64_t split, JobSpec spec = World::quiet_spec(), bool has_straggler = false) {
    run(spec);
    seal(2, times_of(11, 8, 10.7, 10));
    wait(has_straggler ? 9 : 0);
    seal(3, has_straggler ? times_of(20, 8, 18.8, 10) : times_of(11, 8, 10.7, 10));
    world_.commit(job_);
    job_ = world_.cluster().next_job();
    prepare(decision(job_));
    world_.submit(4 * split, split, std::move(spec));
    wait(1);
  }
  std::size_t segments() const { return world_.job(job_).tasks[0].ledger.segments().size(); }
  std::size_t attempts() const { return world_.job(job_).tasks[0].attempts.size(); }
  std::optional<Reason> declined() const {
    const auto found = world_.job(job_).declined.find(0);
    return found == world_.job(job_).declined.end() ? std::nullopt : std::optional(found->second.reason);
  }

  static constexpr auto kHalve = [](std::uint64_t split) {
    return [split](JobId job) { return Divide{{job, 0}, 0, {split / 2}}; };
  };
  static constexpr auto kClone = [](JobId job) { return CloneTasks{job, 1}; };
};

TEST_F(BeforeTheLaunch, ADivisionThatGainsLessThanHalfAStartIsNotMade) {
  submit(kHalve(1000), 1000);
  EXPECT_EQ(segments(), 1u);
  EXPECT_EQ(declined(), Reason::NotWorthIt);
}

TEST_F(BeforeTheLaunch, ADivisionThatGainsMoreIsMade) {
  submit(kHalve(10'000), 10'000);
  EXPECT_EQ(segments(), 2u);
  EXPECT_GT(world_.job(job_).spent, 7) << "the second piece needs a start too";
}

TEST_F(BeforeTheLaunch, ADivisionThatSavesTheDeadlineIsMade) {
  JobSpec spec = World::quiet_spec();
  spec.deadline = 10s;
  submit(kHalve(1000), 1000, spec);
  EXPECT_EQ(segments(), 2u);
}

TEST_F(BeforeTheLaunch, PiecesCostNoMoreThanTheJobNeeds) {
  submit([](JobId job) { return Divide{{job, 0}, 0, {100, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000}}; }, 10'000);
  EXPECT_EQ(segments(), 10u) << "nine starts are less than 4 times 38 s";
  job_ = world_.cluster().next_job();
  std::vector<std::uint64_t> borders;
  for (std::uint64_t at = 400; at < 10'000; at += 400) borders.push_back(at);
  prepare(Divide{{job_, 0}, 0, borders});
  world_.submit(40'000, 10'000, World::quiet_spec());
  EXPECT_EQ(segments(), 1u);
  EXPECT_EQ(declined(), Reason::BudgetSpent);
}

TEST_F(BeforeTheLaunch, ClonesOfTasksThatAllTakeAsLongAreNotLaunched) {
  submit(kClone, 10'000);
  EXPECT_EQ(attempts(), 1u);
  EXPECT_EQ(declined(), Reason::NotWorthIt);
}

TEST_F(BeforeTheLaunch, ClonesAreLaunchedWhereStragglersCostMoreThanHalfAStart) {
  submit(kClone, 10'000, World::quiet_spec(), true);
  EXPECT_EQ(attempts(), 2u);
}

TEST_F(BeforeTheLaunch, ClonesAgainstStragglersThatCostLessAreNotLaunched) {
  submit(kClone, 1000, World::quiet_spec(), true);
  EXPECT_EQ(attempts(), 1u);
}

TEST_F(BeforeTheLaunch, ThePolicyMayBeAsWritten) {
  JobSpec spec = World::quiet_spec();
  spec.policy_parameters["as_written"] = "yes";
  submit(kClone, 10'000, spec);
  EXPECT_EQ(attempts(), 2u);
}

TEST_F(BeforeTheLaunch, NothingBindsWhereNothingIsKnown) {
  for (const char* name : {"a", "b", "c", "d", "e"}) world_.register_node(name);
  job_ = world_.cluster().next_job();
  prepare(kHalve(1000)(job_));
  prepare(kClone(job_));
  world_.submit(1000, 1000, World::quiet_spec());
  EXPECT_EQ(segments(), 2u);
  EXPECT_EQ(attempts(), 4u);
}

}  // namespace
}  // namespace ontime::scheduler
