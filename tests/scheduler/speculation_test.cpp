// Hand-over when ready, divided tails, clones, cuts that are never answered, deadlines that end a job.
#include <gtest/gtest.h>

#include "tests/scheduler/ordered_policy.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class SpeculationTest : public test::OrderedPolicyTest {
 protected:
  AttemptId original() {
    world_.register_node("a", 1);
    world_.submit(100, 100);
    const AttemptId id = world_.take_launch();
    world_.start_attempt(id);
    world_.register_node("b", 4);
    return id;
  }
  // It falls silent for longer than the time-out; the others do not.
  void lose_node_of(AttemptId id) {
    const NodeId lost = world_.attempt(id).node;
    for (int second = 0; second < 6; ++second) {
      for (const auto& [node, state] : world_.cluster().nodes()) {
        if (node != lost) world_.heartbeat(node);
      }
      world_.pass(1s);
    }
  }
  static Speculate when_ready(TaskId task, std::uint32_t copies) {
    Speculate decision;
    decision.task = task;
    decision.work = SharedTail{0, copies, Handover::Ready};
    return decision;
  }
  static Speculate divided(TaskId task) {
    Speculate decision;
    decision.task = task;
    decision.work = GivenTail{{{40, 1}, {60, 2}, {80, 1}}};
    return decision;
  }
};

TEST_F(SpeculationTest, AStandbyIsToldWhereToBeginWhenTheOriginalHasAnsweredTheCut) {
  const AttemptId first = original();
  order(when_ready(first.task, 1));
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_TRUE(launches[0].standby);
  EXPECT_TRUE(world_.take<action::CutAttempt>().empty());
  world_.make_ready(launches[0].attempt);
  ASSERT_EQ(world_.take<action::CutAttempt>().size(), 1u);
  world_.answer_cut(first, 37);
  const auto begins = world_.take<action::BeginAttempt>();
  ASSERT_EQ(begins.size(), 1u);
  EXPECT_EQ(begins[0].attempt, launches[0].attempt);
  EXPECT_EQ(begins[0].range, (ByteRange{37, 100}));
  EXPECT_EQ(world_.attempt(launches[0].attempt).start_offset, 37u);
  EXPECT_FALSE(world_.attempt(launches[0].attempt).standby);
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
}

TEST_F(SpeculationTest, StandbysOfATaskThatEndsBeforeTheyAreReadyAreKilled) {
  const AttemptId first = original();
  order(when_ready(first.task, 2));
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 2u);
  world_.seal(first, {0, 100});
  for (const auto& launch : launches) EXPECT_EQ(world_.attempt(launch.attempt).state, AttemptState::Killed);
}

TEST_F(SpeculationTest, AStandbyTakesOverAllThatIsLeftWhenTheOriginalDies) {
  const AttemptId first = original();
  order(when_ready(first.task, 1));
  const AttemptId standby = world_.take_launch();
  world_.fail(first);
  const auto begins = world_.take<action::BeginAttempt>();
  ASSERT_EQ(begins.size(), 1u);
  EXPECT_EQ(begins[0].attempt, standby);
  EXPECT_EQ(begins[0].range, (ByteRange{0, 100}));
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
}

TEST_F(SpeculationTest, AnotherAttemptIsLaunchedWhenTheOnlyStandbyDies) {
  const AttemptId first = original();
  order(when_ready(first.task, 1));
  const AttemptId standby = world_.take_launch();
  world_.fail(standby);
  EXPECT_TRUE(world_.cluster().find_live(first) != nullptr);
  world_.register_node("c", 1);      // the segment has failed on b
  order(when_ready(first.task, 1));  // the pending cut has gone with it, so the policy may ask again
  EXPECT_EQ(world_.take<action::LaunchAttempt>().size(), 1u);
}

TEST_F(SpeculationTest, AfterARestartOfTheMasterAStandbyThatNobodyWantsIsKilled) {
  const AttemptId first = original();
  order(when_ready(first.task, 1));
  const AttemptId standby = world_.take_launch();
  world_.restart();
  EXPECT_EQ(world_.attempt(standby).state, AttemptState::Killed);
  EXPECT_TRUE(is_live(world_.attempt(first).state));
}

TEST_F(SpeculationTest, ATailIsDividedAndEachPieceGetsItsAttempts) {
  const AttemptId first = original();
  order(divided(first.task));
  world_.answer_cut(first, 41, true);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[0].range, (ByteRange{41, 60}));
  EXPECT_EQ(launches[1].range, (ByteRange{60, 80}));
  EXPECT_EQ(launches[2].range, (ByteRange{60, 80}));
  EXPECT_EQ(launches[3].range, (ByteRange{80, 100}));
  EXPECT_EQ(world_.attempt(first).held, (ByteRange{0, 41}));
}

TEST_F(SpeculationTest, BordersBehindWhichTheOriginalStandsAlreadyAreLeftOut) {
  const AttemptId first = original();
  order(divided(first.task));
  world_.answer_cut(first, 65, true);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].range, (ByteRange{65, 80}));
  EXPECT_EQ(launches[1].range, (ByteRange{65, 80}));
  EXPECT_EQ(launches[2].range, (ByteRange{80, 100}));
}

TEST_F(SpeculationTest, TheTaskIsDoneWhenAllPiecesAreSealedByWhomever) {
  const AttemptId first = original();
  order(divided(first.task));
  world_.answer_cut(first, 40, true);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 4u);
  world_.seal(launches[3].attempt, {80, 100});
  world_.seal(launches[1].attempt, {60, 80});
  EXPECT_EQ(world_.attempt(launches[2].attempt).state, AttemptState::Killed);
  world_.seal(first, {0, 40});
  EXPECT_EQ(world_.job(first.task.job).state, JobState::Running);
  world_.seal(launches[0].attempt, {40, 60});
  EXPECT_EQ(world_.job(first.task.job).state, JobState::Committing);
}

TEST_F(SpeculationTest, DividedWhenReadyEachStandbyBeginsWithAPiece) {
  const AttemptId first = original();
  Speculate decision = divided(first.task);
  std::get<GivenTail>(decision.work).handover = Handover::Ready;
  order(decision);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 4u);
  world_.make_ready(launches[2].attempt);
  world_.answer_cut(first, 45, true);
  const auto begins = world_.take<action::BeginAttempt>();
  ASSERT_EQ(begins.size(), 4u);
  EXPECT_EQ(begins[0].range, (ByteRange{45, 60}));
  EXPECT_EQ(begins[1].range, (ByteRange{60, 80}));
  EXPECT_EQ(begins[2].range, (ByteRange{60, 80}));
  EXPECT_EQ(begins[3].range, (ByteRange{80, 100}));
}

TEST_F(SpeculationTest, ATaskIsDividedBeforeItsFirstLaunch) {
  world_.register_node("a", 3);
  prepare(Divide{{JobId{1}, 0}, 0, {30, 60}, Reason::DivideAtStart});
  world_.submit(100, 100);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].range, (ByteRange{0, 30}));
  EXPECT_EQ(launches[1].range, (ByteRange{30, 60}));
  EXPECT_EQ(launches[2].range, (ByteRange{60, 100}));
  EXPECT_FALSE(world_.attempt(launches[2].attempt).speculative);
}

TEST_F(SpeculationTest, ClonesComeAfterAllOriginals) {
  world_.register_node("a", 3);
  prepare(CloneTasks{JobId{1}, 1, Reason::Clone});
  world_.submit(200, 100);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_FALSE(world_.attempt(launches[0].attempt).speculative);
  EXPECT_FALSE(world_.attempt(launches[1].attempt).speculative);
  EXPECT_TRUE(world_.attempt(launches[2].attempt).speculative);
}

TEST_F(SpeculationTest, AnAttemptThatDoesNotAnswerACutIsEndedAndItsRestStartsAgain) {
  const AttemptId first = original();
  Speculate decision = divided(first.task);
  decision.work = GivenTail{{{40, 1}}};
  order(decision);
  world_.heartbeat(first, 20);
  for (int second = 0; second < 4; ++second) {
    for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
    world_.pass(1s);
  }
  EXPECT_EQ(world_.attempt(first).state, AttemptState::Killed);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].range, (ByteRange{0, 100}));
}

TEST_F(SpeculationTest, ACutWaitsForTheCheckpointThatWasAskedBefore) {
  world_.register_node("a", 1);
  JobSpec spec;
  spec.checkpoint_interval = 1500ms;
  world_.submit(100, 100, spec);
  const AttemptId first = world_.take_launch();
  world_.start_attempt(first);
  world_.register_node("b", 1);
  world_.heartbeat(first, 10);
  world_.pass(1500ms);
  ASSERT_EQ(world_.take<action::CutAttempt>().size(), 1u);
  Speculate decision = when_ready(first.task, 1);
  decision.work = SharedTail{30, 1};
  order(decision);
  EXPECT_TRUE(world_.take<action::CutAttempt>().empty());
  world_.answer_cut(first, 12);
  const auto cuts = world_.take<action::CutAttempt>();
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].at, 30u);
  world_.answer_cut(first, 30);
  EXPECT_EQ(world_.attempt(world_.take_launch()).start_offset, 30u);
}

TEST_F(SpeculationTest, TheNodeOfTheOriginalDiesRightBeforeItAnswersTheCut) {
  const AttemptId first = original();
  world_.answer_cut(first, 20);  // a checkpoint
  world_.seal(first, {0, 20});
  Speculate decision = divided(first.task);
  decision.segment = 20;
  decision.work = GivenTail{{{40, 1}}};
  order(decision);
  ASSERT_EQ(world_.take<action::CutAttempt>().size(), 1u);
  lose_node_of(first);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].range, (ByteRange{20, 100}));  // from the last sealed offset
  world_.seal(launches[0].attempt, {20, 100});
  EXPECT_EQ(world_.job(first.task.job).state, JobState::Committing);
}

TEST_F(SpeculationTest, TheNodeOfTheOriginalDiesRightAfterItHasAnsweredTheCut) {
  const AttemptId first = original();
  Speculate decision = divided(first.task);
  decision.work = GivenTail{{{40, 1}}};
  order(decision);
  world_.answer_cut(first, 40, true);
  const AttemptId copy = world_.take_launch();
  EXPECT_EQ(world_.attempt(copy).held, (ByteRange{40, 100}));
  lose_node_of(first);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].range, (ByteRange{0, 40}));  // what it had not sealed, and no more
  world_.seal(copy, {40, 100});
  world_.seal(launches[0].attempt, {0, 40});
  EXPECT_EQ(world_.job(first.task.job).state, JobState::Committing);
}

TEST_F(SpeculationTest, WhatWasDecidedIsKeptWithTheJobAcrossARestart) {
  const AttemptId first = original();
  order(divided(first.task));
  world_.restart();
  const std::vector<DecisionAt>& decisions = world_.job(first.task.job).decisions;
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].decision.reason, "late");
  EXPECT_EQ(decisions[0].decision.pieces, 3u);
  EXPECT_EQ(decisions[0].decision.copies, 4u);
}

TEST_F(SpeculationTest, AStandbyOfASegmentThatNobodyWorksOnAnyMoreIsAnOrdinaryAttempt) {
  world_.register_node("a", 1);
  world_.submit(100, 100);
  const AttemptId first = world_.take_launch();
  world_.start_attempt(first);
  order(when_ready(first.task, 1));  // waits for a slot
  world_.fail(first);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_FALSE(launches[0].standby);
  world_.seal(launches[0].attempt, {0, 100});
  EXPECT_EQ(world_.job(first.task.job).state, JobState::Committing);
}

TEST_F(SpeculationTest, AStandbyIsToldAgainToBeginWhenItsWorkerRegistersAgain) {
  const AttemptId first = original();
  order(when_ready(first.task, 1));
  const AttemptId standby = world_.take_launch();
  world_.make_ready(standby);
  world_.answer_cut(first, 37);
  ASSERT_EQ(world_.take<action::BeginAttempt>().size(), 1u);  // lost with the connection
  world_.register_node("b", 4, {{standby, 37, 0, 0}});
  const auto begins = world_.take<action::BeginAttempt>();
  ASSERT_EQ(begins.size(), 1u);
  EXPECT_EQ(begins[0].range, (ByteRange{37, 100}));
  world_.restart();
  world_.register_node("a", 1, {{first, 37, 0, 0}});
  world_.register_node("b", 4, {{standby, 37, 0, 0}});
  ASSERT_EQ(world_.take<action::BeginAttempt>().size(), 1u);
  world_.answer_cut(standby, 60);
  world_.seal(standby, {37, 60});
  world_.register_node("b", 4, {{standby, 60, 0, 0}});
  EXPECT_TRUE(world_.take<action::BeginAttempt>().empty());
}

TEST_F(SpeculationTest, ACutOfAPolicyIsAskedForAgainWhenTheWorkerRegistersAgain) {
  const AttemptId first = original();
  order(when_ready(first.task, 1));
  const AttemptId standby = world_.take_launch();
  world_.make_ready(standby);
  ASSERT_EQ(world_.take<action::CutAttempt>().size(), 1u);  // lost with the connection
  world_.register_node("a", 1, {{first, 30, 0, 0}});
  ASSERT_EQ(world_.take<action::CutAttempt>().size(), 1u);
  world_.answer_cut(first, 37);
  EXPECT_EQ(world_.take<action::BeginAttempt>().size(), 1u);
}

TEST_F(SpeculationTest, ATaskThatWasNeverLaunchedIsNotSpeculatedOn) {
  world_.register_node("a", 1);
  world_.submit(200, 100);
  const AttemptId first = world_.take_launch();
  Speculate decision;
  decision.task = {first.task.job, 1};
  decision.segment = 100;
  order(decision);
  world_.seal(first, {0, 100});
  const AttemptId second = world_.take_launch();
  EXPECT_FALSE(world_.attempt(second).speculative);
  world_.seal(second, {100, 200});
  EXPECT_EQ(world_.job(first.task.job).state, JobState::Committing);
}

TEST_F(SpeculationTest, ATailIsNotDividedTwiceAtOneBorder) {
  const AttemptId first = original();
  Speculate decision = divided(first.task);
  decision.work = GivenTail{{{40, 1}, {60, 2}, {60, 1}}};
  order(decision);
  EXPECT_TRUE(world_.take<action::CutAttempt>().empty());
}

TEST(OnMiss, AJobThatAsksForItIsKilledAtItsDeadline) {
  World world;
  world.register_node("a", 1);
  JobSpec spec = World::quiet_spec();
  spec.deadline = 2s;
  spec.kill_on_miss = true;
  const JobId job = world.submit(100, 100, spec);
  world.pass(1900ms);
  EXPECT_EQ(world.job(job).state, JobState::Running);
  world.pass(200ms);
  EXPECT_EQ(world.job(job).state, JobState::Killed);
}

TEST(OnMiss, OtherwiseItIsFinished) {
  World world;
  world.register_node("a", 1);
  JobSpec spec = World::quiet_spec();
  spec.deadline = 2s;
  const JobId job = world.submit(100, 100, spec);
  world.pass(3s);
  EXPECT_EQ(world.job(job).state, JobState::Running);
}

}  // namespace
}  // namespace ontime::scheduler
