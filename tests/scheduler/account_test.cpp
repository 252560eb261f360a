// Where bytes and machine time go, in histories small enough to add up by hand.
#include "scheduler/core/account.h"

#include <gtest/gtest.h>

#include "tests/scheduler/ordered_policy.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class Account : public test::OrderedPolicyTest {
 protected:
  Account() {
    world_.register_node("a", 1);
    world_.register_node("b", 1);
    world_.register_node("c", 1);
  }
  // Nodes go on reporting meanwhile.
  void pass(Duration duration) override {
    for (; duration > 0s; duration -= 1s) {
      for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
      world_.pass(1s);
    }
  }
  // One task of 100 bytes whose original was launched at 0 s, started at 1 s and is at `offset` at 5 s.
  AttemptId run_original_to(std::uint64_t offset, JobSpec spec = World::quiet_spec()) {
    job_ = world_.submit(100, 100, std::move(spec));
    const AttemptId original = world_.take_launch();
    pass(1s);
    world_.start_attempt(original);
    pass(4s);
    world_.heartbeat(original, offset);
    return original;
  }
  Speculate race(TaskId task) {
    Speculate decision;
    decision.task = task;
    return decision;
  }
  JobAccount of_job() { return account(world_.job(job_), world_.now()); }
  JobAccount of(AttemptId attempt) {
    return account(*world_.cluster().find_task(attempt.task), attempt.number, world_.now());
  }

  JobId job_;
};

TEST_F(Account, WorkThatIsNotSealedYetIsOpen) {
  run_original_to(40);
  const JobAccount sum = of_job();
  EXPECT_EQ(sum.bytes, (ByteAccount{.mapped = 40, .open = 40}));
  EXPECT_EQ(sum.time, (TimeAccount{.total = 5s, .launch = 1s, .open = 4s}));
  EXPECT_EQ(sum.saved, Saving{});
}

TEST_F(Account, AnAttemptThatNobodyDisturbedIsOfUseButForItsLaunch) {
  const AttemptId original = run_original_to(40);
  pass(6s);
  world_.seal_all(original);
  const JobAccount sum = of_job();
  EXPECT_EQ(sum.bytes, (ByteAccount{.mapped = 100, .useful = 100}));
  EXPECT_EQ(sum.time, (TimeAccount{.total = 11s, .launch = 1s, .useful = 10s}));
}

TEST_F(Account, TheLoserOfARaceHasDuplicated) {
  const AttemptId original = run_original_to(40);
  order(race(original.task));
  const AttemptId copy = world_.take_launch();
  pass(2s);
  world_.start_attempt(copy);
  pass(3s);
  world_.seal_all(copy);
  EXPECT_EQ(of(original).bytes, (ByteAccount{.mapped = 40, .duplicated = 40}));
  EXPECT_EQ(of(original).time, (TimeAccount{.total = 11s, .launch = 1s, .duplicated = 10s}));
  EXPECT_EQ(of(copy).time, (TimeAccount{.total = 5s, .launch = 2s, .useful = 3s}));
  EXPECT_EQ(of_job().bytes, (ByteAccount{.mapped = 140, .useful = 100, .duplicated = 40}));
  EXPECT_EQ(of_job().saved, Saving{});
}

TEST_F(Account, WhatFailedWasDroppedAndItsTimeToo) {
  const AttemptId original = run_original_to(40);
  world_.fail(original);
  const AttemptId again = world_.take_launch();
  world_.seal_all(again);
  EXPECT_EQ(of(original).bytes, (ByteAccount{.mapped = 40, .dropped = 40}));
  EXPECT_EQ(of(original).time, (TimeAccount{.total = 5s, .launch = 1s, .dropped = 4s}));
}

TEST_F(Account, AnAttemptEndedWithNobodyBesideItDropsItsWork) {
  const AttemptId original = run_original_to(40);
  order(EndAttempt{original, Reason::SlowerCopy});
  const AttemptId again = world_.take_launch();
  pass(1s);
  world_.seal_all(again);
  EXPECT_EQ(of(original).bytes, (ByteAccount{.mapped = 40, .dropped = 40}));
}

TEST_F(Account, ACopyThatResumesSavesWhatIsBelowItsBegin) {
  const AttemptId original = run_original_to(40);
  Speculate decision = race(original.task);
  decision.work = GivenTail{{{50, 1}}};
  order(decision);
  world_.answer_cut(original, 50, true);
  const AttemptId copy = world_.take_launch();
  world_.start_attempt(copy);
  pass(2s);
  world_.seal_all(copy);
  EXPECT_EQ(of(copy).saved.bytes, 0u);  // nobody has sealed it yet
  world_.seal_all(original);
  EXPECT_EQ(of(copy).saved, (Saving{50, 2s}));
  EXPECT_EQ(of_job().resumed, 1u);
  EXPECT_EQ(of_job().bytes, (ByteAccount{.mapped = 100, .useful = 100}));
}

TEST_F(Account, PiecesOfADividedTailHaveNotSavedEachOther) {
  const AttemptId original = run_original_to(40);
  Speculate decision = race(original.task);
  decision.work = GivenTail{{{50, 1}, {75, 1}}};
  order(decision);
  world_.answer_cut(original, 50, true);
  const auto copies = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(copies.size(), 2u);
  world_.seal_all(original);
  for (const auto& copy : copies) world_.seal_all(copy.attempt);
  EXPECT_EQ(of(copies[0].attempt).saved.bytes, 50u);
  EXPECT_EQ(of(copies[1].attempt).saved.bytes, 0u);
}

TEST_F(Account, ARetryBehindACheckpointSavesWhatIsSealed) {
  JobSpec spec;
  spec.checkpoint_interval = 2s;
  const AttemptId original = run_original_to(30, spec);
  world_.answer_cut(original, 40);
  world_.seal(original, {0, 40});
  world_.heartbeat(original, 70);
  world_.fail(original);
  const AttemptId again = world_.take_launch();
  world_.seal_all(again);
  EXPECT_EQ(of(original).bytes, (ByteAccount{.mapped = 70, .useful = 40, .dropped = 30}));
  EXPECT_EQ(of(again).saved.bytes, 40u);
}

// A copy that is ended after its first record has a rate of no worth, and saves nothing that the winner has not saved.
TEST_F(Account, OfCopiesThatRaceTheWinnerSavesAndNoMoreThanWasDone) {
  const AttemptId original = run_original_to(40);
  Speculate decision = race(original.task);
  decision.work = GivenTail{{{50, 2}}};
  order(decision);
  world_.answer_cut(original, 50, true);
  world_.seal_all(original);
  const auto copies = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(copies.size(), 2u);
  for (const auto& copy : copies) world_.start_attempt(copy.attempt);
  pass(100s);
  for (const auto& copy : copies) world_.heartbeat(copy.attempt, 51);
  EXPECT_EQ(of_job().saved, Saving{}) << "nobody has won yet";
  world_.seal_all(copies[0].attempt);
  EXPECT_EQ(of(copies[1].attempt).saved, Saving{});
  EXPECT_EQ(of_job().saved.bytes, 50u);
  EXPECT_EQ(of_job().saved.time, of(original).time.useful) << "and not the 100 s that the copy would have taken";
  EXPECT_EQ(of_job().resumed, 1u);
}

TEST_F(Account, WhatIsResumedTwiceIsSavedOnce) {
  JobSpec spec;
  spec.checkpoint_interval = 2s;
  const AttemptId original = run_original_to(30, spec);
  world_.answer_cut(original, 40);
  world_.seal(original, {0, 40});
  world_.fail(original);
  const AttemptId second = world_.take_launch();
  world_.start_attempt(second);
  world_.answer_cut(second, 70);
  world_.seal(second, {40, 70});
  world_.fail(second);
  world_.seal_all(world_.take_launch());
  EXPECT_EQ(of(second).saved.bytes, 40u);
  EXPECT_EQ(of_job().saved.bytes, 70u);
}

TEST_F(Account, AStandbyMapsNothingUntilItBegins) {
  const AttemptId original = run_original_to(40);
  Speculate decision = race(original.task);
  decision.work = GivenTail{{{0, 1}}, Handover::Ready};
  order(decision);
  const AttemptId standby = world_.take_launch();
  pass(1s);
  world_.make_ready(standby);
  pass(2s);
  EXPECT_EQ(of(standby).bytes, ByteAccount{});
  EXPECT_EQ(of(standby).time, (TimeAccount{.total = 3s, .launch = 1s, .standby = 2s}));
  world_.answer_cut(original, 60, true);
  world_.start_attempt(standby);
  pass(1s);
  world_.heartbeat(standby, 80);
  EXPECT_EQ(of(standby).bytes, (ByteAccount{.mapped = 20, .open = 20}));
  EXPECT_EQ(of(standby).time, (TimeAccount{.total = 4s, .launch = 1s, .standby = 2s, .open = 1s}));
}

TEST_F(Account, AfterARestartOfTheMasterItStillBalances) {
  const AttemptId original = run_original_to(40);
  world_.seal_all(original);
  world_.restart();
  EXPECT_EQ(of_job().bytes, (ByteAccount{.mapped = 100, .useful = 100}));
  EXPECT_EQ(of_job().time, (TimeAccount{.total = 5s, .useful = 5s}));
}

}  // namespace
}  // namespace ontime::scheduler
