// Nodes that are lost or come back, and masters that are started again.
#include <gtest/gtest.h>

#include "scheduler/core/scheduler.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

// Nodes
// ----------------------------------------------------------------------------------------------------------------

TEST(Scheduler, ASilentNodeIsLostAndItsSegmentsStartAgainElsewhere) {
  World world;
  const NodeId a = world.register_node("a");
  world.submit(10, 10);
  const AttemptId first = world.take_launch();
  world.pass(4s);
  const NodeId b = world.register_node("b");
  world.pass(1s);
  EXPECT_EQ(world.cluster().find_node(a)->state, NodeState::Lost);
  EXPECT_EQ(world.attempt(first).state, AttemptState::Lost);
  ASSERT_EQ(world.take<action::DropNode>().size(), 1u);
  EXPECT_EQ(world.attempt(world.take_launch()).node, b);
  EXPECT_EQ(world.job(JobId{1}).attempts_failed, 0u);
}

TEST(Scheduler, AHeartbeatKeepsANodeAlive) {
  World world;
  const NodeId a = world.register_node("a");
  for (int i = 0; i < 5; ++i) {
    world.pass(4s);
    world.heartbeat(a);
  }
  EXPECT_EQ(world.cluster().find_node(a)->state, NodeState::Live);
}

// Otherwise the last attempt of a segment that fails everywhere would wait for it for a minute.
TEST(Scheduler, ALostNodeIsNotWaitedForOnceItsWorkerIsThereAgain) {
  World world;
  const NodeId a = world.register_node("a");
  world.register_node("b");
  world.pass(4s);
  world.heartbeat(a);
  world.pass(1s);
  world.send(event::NodeRegistered{"started again", "b", "host-b", 1});
  world.send(event::NodeInventory{NodeId{3}, {}});
  world.submit(10, 10);
  for (int i = 0; i < 3; ++i) {
    world.fail(world.take_launch());
    world.pass(1s);
    for (const NodeId node : {a, NodeId{3}}) world.heartbeat(node);
  }
  EXPECT_EQ(world.take<action::LaunchAttempt>().size(), 1u);
}

TEST(Scheduler, ALostNodeThatComesBackIsToldWhatIsFenced) {
  World world;
  world.register_node("a");
  world.submit(10, 10);
  const AttemptId first = world.take_launch();
  world.pass(5s);
  world.register_node("a", 1, {{.attempt = first, .offset = 5}});
  const auto welcomes = world.take<action::WelcomeNode>();
  ASSERT_EQ(welcomes.size(), 2u);
  EXPECT_EQ(welcomes[1].fenced, std::vector<AttemptId>{first});
  EXPECT_EQ(world.take_launch().number, 1u);
}

TEST(Scheduler, ASealOfAFencedAttemptIsRefused) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(10, 10);
  const AttemptId first = world.take_launch();
  world.pass(5s);
  world.register_node("b");
  const AttemptId second = world.take_launch();
  world.seal(first, {0, 10});
  EXPECT_EQ(world.job(job).tasks_done, 0u);
  ASSERT_EQ(world.take<action::KillAttempt>().size(), 1u);
  world.seal_all(second);
  EXPECT_EQ(world.job(job).tasks[0].ledger.find(0)->attempt, 1u);
}

TEST(Scheduler, ASealFromAnotherNodeThanTheAttemptsIsRefused) {
  World world;
  world.register_node("a");
  const NodeId b = world.register_node("b", 0);
  const JobId job = world.submit(10, 10);
  const AttemptId attempt = world.take_launch();
  world.send(event::SegmentSealed{b, attempt, {0, 10}, 10, {}, {}});
  EXPECT_EQ(world.job(job).tasks_done, 0u);
}

TEST(Scheduler, ASealThatComesTwiceCountsOnce) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(20, 10);
  const AttemptId attempt = world.take_launch();
  world.seal(attempt, {0, 10});
  world.seal(attempt, {0, 10});
  EXPECT_EQ(world.job(job).tasks_done, 1u);
  EXPECT_EQ(world.job(job).sealed_bytes, 10u);
  EXPECT_TRUE(world.take<action::KillAttempt>().empty());
}

TEST(Scheduler, AnAttemptThatSealsWhatItDoesNotHoldIsEnded) {
  World world;
  world.register_node("a");
  world.submit(10, 10);
  const AttemptId attempt = world.take_launch();
  world.seal(attempt, {0, 7});
  EXPECT_EQ(world.attempt(attempt).state, AttemptState::Failed);
  EXPECT_EQ(world.take_launch().number, 1u);
}

TEST(Scheduler, AnAttemptMissingFromTheInventoryIsLost) {
  World world;
  world.register_node("a");
  world.submit(10, 10);
  const AttemptId first = world.take_launch();
  world.register_node("a");
  EXPECT_EQ(world.attempt(first).state, AttemptState::Lost);
  EXPECT_EQ(world.take_launch().number, 1u);
}

TEST(Scheduler, AHeartbeatForAnAttemptThatWasGivenUpIsAnsweredWithAKill) {
  World world;
  const NodeId a = world.register_node("a");
  const JobId job = world.submit(10, 10);
  const AttemptId attempt = world.take_launch();
  world.kill(job);
  world.take<action::KillAttempt>();
  world.send(event::Heartbeat{a, {{.attempt = attempt, .offset = 3}}});
  EXPECT_EQ(world.take<action::KillAttempt>().size(), 1u);
}

TEST(Scheduler, AHeartbeatJustAfterTheLastSealDoesNotKillTheRunner) {
  World world;
  const NodeId a = world.register_node("a");
  world.submit(20, 10);
  const AttemptId attempt = world.take_launch();
  world.seal_all(attempt);
  world.send(event::Heartbeat{a, {{.attempt = attempt, .offset = 10}}});
  EXPECT_TRUE(world.take<action::KillAttempt>().empty());
}

// Restart of the master
// ------------------------------------------------------------------------------------------------

TEST(Scheduler, ARestartedMasterAdoptsRunningAttemptsAndRunsNothingAgain) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(20, 10);
  world.seal_all(world.take_launch());
  const AttemptId running = world.take_launch();
  world.restart();
  EXPECT_EQ(world.cluster().epoch(), 2u);
  EXPECT_FALSE(world.attempt(running).adopted);
  world.register_node("a", 1, {{.attempt = running, .offset = 14}});
  EXPECT_TRUE(world.attempt(running).adopted);
  EXPECT_EQ(world.attempt(running).offset, 14u);
  EXPECT_TRUE(world.take<action::LaunchAttempt>().empty());
  world.seal_all(running);
  EXPECT_EQ(world.job(job).attempts_launched, 2u);
  EXPECT_EQ(world.take<action::CommitOutput>().size(), 1u);
}

// The worker has told the last master that it had begun, and tells it once.
TEST(Scheduler, AnAttemptThatHasMappedNothingAtARestartRunsOnceItHas) {
  World world;
  world.register_node("a");
  world.submit(20, 20);
  const AttemptId running = world.take_launch();
  world.start_attempt(running);
  world.restart();
  world.register_node("a", 1, {{.attempt = running, .offset = 0}});
  EXPECT_EQ(world.attempt(running).state, AttemptState::Launching);
  world.heartbeat(running, 5);
  EXPECT_EQ(world.attempt(running).state, AttemptState::Running);
}

TEST(Scheduler, AfterARestartANodeThatDoesNotReturnIsLost) {
  World world;
  world.register_node("a");
  world.submit(10, 10);
  const AttemptId attempt = world.take_launch();
  world.restart();
  world.pass(5s);
  EXPECT_EQ(world.attempt(attempt).state, AttemptState::Lost);
}

TEST(Scheduler, ARestartRepeatsAnInterruptedCommit) {
  World world;
  world.register_node("a");
  world.submit(10, 10);
  world.seal_all(world.take_launch());
  world.restart();
  EXPECT_EQ(world.take<action::CommitOutput>().size(), 1u);
}

TEST(Scheduler, ARestartDoesNotCommitAgainWhatHasSucceeded) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(10, 10);
  world.seal_all(world.take_launch());
  world.commit(job);
  world.restart();
  EXPECT_TRUE(world.take<action::CommitOutput>().empty());
  EXPECT_EQ(world.job(job).state, JobState::Succeeded);
}

TEST(Scheduler, IdsGoOnAfterARestart) {
  World world;
  const NodeId a = world.register_node("a");
  world.submit(10, 10);
  world.restart();
  EXPECT_EQ(world.submit(10, 10), JobId{2});
  EXPECT_NE(world.register_node("b"), a);
}

}  // namespace
}  // namespace ontime::scheduler
