// Nodes that drain: no new work, what runs is cut at the next record, the rest goes elsewhere at once, and a worker
// that leaves is released when nothing of it is live.
#include <gtest/gtest.h>

#include "tests/scheduler/ordered_policy.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class DrainTest : public test::OrderedPolicyTest {
 protected:
  // One task of 100 bytes that runs on node a; node b is free.
  AttemptId original() {
    a_ = world_.register_node("a", 1);
    world_.submit(100, 100);
    const AttemptId id = world_.take_launch();
    world_.start_attempt(id);
    b_ = world_.register_node("b", 1);
    return id;
  }
  // `first` stands at 50; the copy begins from the start, on node b.
  AttemptId race_against(AttemptId first) {
    world_.heartbeat(first, 50);
    Speculate race;
    race.task = first.task;
    order(race);
    return world_.take_launch();
  }
  void drain(NodeId node) { world_.send(event::DrainRequested{node, true}); }
  void take_back(NodeId node) { world_.send(event::DrainRequested{node, false}); }
  void leave(NodeId node, bool at_once = false) { world_.send(event::NodeLeaving{node, at_once}); }
  Duty duty(NodeId node) { return world_.cluster().find_node(node)->duty; }
  std::vector<NodeId> released() {
    std::vector<NodeId> nodes;
    for (const auto& release : world_.take<action::ReleaseNode>()) nodes.push_back(release.node);
    return nodes;
  }

  NodeId a_;
  NodeId b_;
};

TEST_F(DrainTest, AnAttemptStopsAtItsNextRecordAndAnotherNodeGoesOnAtOnce) {
  const AttemptId first = original();
  world_.heartbeat(first, 30);
  leave(a_);
  const auto cuts = world_.take<action::CutAttempt>();
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].at, 0u);  // it has passed that, so it answers where it stands
  EXPECT_TRUE(cuts[0].release);
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
  world_.answer_cut(first, 37, true);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].node, b_);
  EXPECT_EQ(launches[0].range, (ByteRange{37, 100}));
  EXPECT_TRUE(released().empty());  // what it has mapped is not sealed yet
  world_.seal(first, {0, 37});
  EXPECT_EQ(released(), std::vector{a_});
  EXPECT_EQ(duty(a_), Duty::Left);
  world_.seal_all(launches[0].attempt);
  const Job& job = world_.job(first.task.job);
  EXPECT_EQ(job.state, JobState::Committing);
  EXPECT_EQ(job.attempts_failed, 0u);
  EXPECT_EQ(job.attempts_launched, 2u);
}

TEST_F(DrainTest, AnAttemptThatHasMappedNothingIsGivenBackWhole) {
  const AttemptId first = original();
  leave(a_);
  world_.answer_cut(first, 0, true);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].range, (ByteRange{0, 100}));
  EXPECT_EQ(world_.attempt(first).state, AttemptState::Killed);
  EXPECT_EQ(world_.job(first.task.job).attempts_failed, 0u);
  EXPECT_EQ(released(), std::vector{a_});
}

TEST_F(DrainTest, AnAttemptWithNothingLeftToCutEndsByItself) {
  const AttemptId first = original();
  leave(a_);
  world_.answer_cut(first, 100, true);
  EXPECT_TRUE(released().empty());
  world_.seal(first, {0, 100});
  EXPECT_EQ(released(), std::vector{a_});
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
}

TEST_F(DrainTest, AnAttemptThatDoesNotAnswerIsEndedAndCountsAsNoFailure) {
  const AttemptId first = original();
  world_.heartbeat(first, 30);
  leave(a_);
  for (int second = 0; second < 4; ++second) {
    world_.heartbeat(a_);
    world_.heartbeat(b_);
    world_.pass(1s);
  }
  EXPECT_EQ(world_.attempt(first).state, AttemptState::Killed);
  EXPECT_EQ(world_.job(first.task.job).attempts_failed, 0u);
  EXPECT_EQ(released(), std::vector{a_});
  EXPECT_EQ(world_.take_launch().number, 1u);
}

TEST_F(DrainTest, ACheckpointUnderWayIsAnsweredFirst) {
  a_ = world_.register_node("a", 1);
  JobSpec spec;
  spec.checkpoint_interval = 1s;
  world_.submit(100, 100, spec);
  const AttemptId first = world_.take_launch();
  world_.start_attempt(first);
  world_.heartbeat(first, 30);
  world_.pass(1s);
  ASSERT_EQ(world_.take<action::CutAttempt>().size(), 1u);
  drain(a_);
  EXPECT_TRUE(world_.take<action::CutAttempt>().empty());
  world_.answer_cut(first, 40, false);
  const auto cuts = world_.take<action::CutAttempt>();
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_TRUE(cuts[0].release);
  world_.answer_cut(first, 45, true);
  world_.seal(first, {0, 40});
  world_.seal(first, {40, 45});
  EXPECT_EQ(world_.attempt(first).state, AttemptState::Succeeded);
  EXPECT_TRUE(world_.take<action::CutAttempt>().empty());
}

TEST_F(DrainTest, ANodeThatDrainsGetsNothingUntilItIsTakenBack) {
  const NodeId node = world_.register_node("a", 1);
  drain(node);
  EXPECT_EQ(duty(node), Duty::Drains);
  const JobId job = world_.submit(100, 100);
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
  EXPECT_TRUE(released().empty());  // its worker did not ask for it
  take_back(node);
  EXPECT_EQ(duty(node), Duty::Serves);
  EXPECT_EQ(world_.take_launch().task.job, job);
}

TEST_F(DrainTest, AWorkerThatLeavesCannotBeTakenBack) {
  const AttemptId first = original();
  leave(a_);
  take_back(a_);
  EXPECT_EQ(duty(a_), Duty::Leaves);
  world_.answer_cut(first, 0, true);
  EXPECT_EQ(duty(a_), Duty::Left);
  drain(a_);
  take_back(a_);
  EXPECT_EQ(duty(a_), Duty::Left);
}

TEST_F(DrainTest, AStandbyAndWhoIsBehindInARaceEndAtOnce) {
  const AttemptId first = original();
  const AttemptId copy = race_against(first);
  leave(b_);
  EXPECT_EQ(world_.attempt(copy).state, AttemptState::Killed);
  EXPECT_EQ(released(), std::vector{b_});
  EXPECT_TRUE(world_.take<action::CutAttempt>().empty());

  world_.register_node("c", 1);
  Speculate when_ready;
  when_ready.task = first.task;
  when_ready.work = SharedTail{.handover = Handover::Ready};
  order(when_ready);
  const AttemptId standby = world_.take_launch();
  EXPECT_TRUE(world_.attempt(standby).standby);
  leave(world_.attempt(standby).node);
  EXPECT_EQ(world_.attempt(standby).state, AttemptState::Killed);
  EXPECT_EQ(world_.attempt(first).state, AttemptState::Running);
}

TEST_F(DrainTest, WhoIsAheadInARaceSealsAndTheOtherEnds) {
  const AttemptId first = original();
  const AttemptId copy = race_against(first);
  leave(a_);
  world_.answer_cut(first, 55, true);
  EXPECT_EQ(world_.attempt(copy).state, AttemptState::Killed);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].range, (ByteRange{55, 100}));
}

TEST_F(DrainTest, ACutThatAPolicyWantsComesFirst) {
  const AttemptId first = original();
  world_.heartbeat(first, 10);
  Speculate decision;
  decision.task = first.task;
  decision.work = GivenTail{{{60, 1}}};
  order(decision);
  ASSERT_EQ(world_.take<action::CutAttempt>().size(), 1u);
  leave(a_);
  EXPECT_TRUE(world_.take<action::CutAttempt>().empty());
  world_.answer_cut(first, 60, true);
  const auto cuts = world_.take<action::CutAttempt>();
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].at, 0u);
  world_.answer_cut(first, 20, true);
  world_.seal(first, {0, 20});
  EXPECT_EQ(released(), std::vector{a_});
  EXPECT_EQ(world_.take<action::LaunchAttempt>().size(), 1u);  // b has one slot: the other part waits
}

TEST_F(DrainTest, ADrainedNodeIsNeverLost) {
  original();
  world_.kill(JobId{1});
  leave(a_);
  EXPECT_EQ(duty(a_), Duty::Left);
  for (int second = 0; second < 20; ++second) {
    world_.heartbeat(b_);
    world_.pass(1s);
  }
  EXPECT_NE(world_.cluster().find_node(a_)->state, NodeState::Lost);
  EXPECT_TRUE(world_.take<action::DropNode>().empty());
}

TEST_F(DrainTest, AWorkerThatEndsAtOnceLosesItsAttemptsWithoutWaitingForTheTimeOut) {
  const AttemptId first = original();
  world_.heartbeat(first, 30);
  leave(a_, true);
  EXPECT_EQ(world_.attempt(first).state, AttemptState::Lost);
  EXPECT_EQ(released(), std::vector{a_});
  EXPECT_EQ(world_.take_launch().number, 1u);
  EXPECT_EQ(world_.job(first.task.job).attempts_failed, 0u);
}

TEST_F(DrainTest, AWorkerThatDiesWhileItLeavesHasLeft) {
  const AttemptId first = original();
  leave(a_);
  for (int second = 0; second < 7; ++second) {
    world_.heartbeat(b_);
    world_.pass(1s);
  }
  EXPECT_FALSE(is_live(world_.attempt(first).state));
  EXPECT_EQ(duty(a_), Duty::Left);
}

TEST_F(DrainTest, ANewMasterGoesOnWithIt) {
  const AttemptId first = original();
  world_.heartbeat(first, 30);
  leave(a_);
  drain(b_);
  world_.take<action::CutAttempt>();
  world_.restart();
  EXPECT_EQ(duty(a_), Duty::Leaves);
  EXPECT_EQ(duty(b_), Duty::Drains);
  world_.register_node("b", 1);
  world_.register_node("a", 1, {{.attempt = first, .offset = 30}});
  const auto cuts = world_.take<action::CutAttempt>();
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_TRUE(cuts[0].release);
  world_.answer_cut(first, 35, true);
  world_.seal(first, {0, 35});
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());  // b drains
  EXPECT_TRUE(released().empty());                            // the worker has to say it again
  leave(a_);
  EXPECT_EQ(released(), std::vector{a_});
}

TEST_F(DrainTest, AReleaseThatWasLostIsGivenAgain) {
  original();
  world_.kill(JobId{1});
  leave(a_);
  EXPECT_EQ(released(), std::vector{a_});
  world_.restart();
  world_.send(event::NodeRegistered{"a", "a", "host-a", 1});
  leave(a_);
  EXPECT_TRUE(released().empty());  // not before its inventory: nobody knows what it runs
  world_.send(event::NodeInventory{a_, {}});
  EXPECT_EQ(released(), std::vector{a_});
}

TEST_F(DrainTest, WhenTheOnlyNodeDrainsTheRestWaitsForAnother) {
  a_ = world_.register_node("a", 1);
  world_.submit(100, 100);
  const AttemptId first = world_.take_launch();
  world_.start_attempt(first);
  leave(a_);
  world_.answer_cut(first, 10, true);
  world_.seal(first, {0, 10});
  EXPECT_EQ(released(), std::vector{a_});
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
  world_.register_node("a-again", 1);
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].range, (ByteRange{10, 100}));
}

}  // namespace
}  // namespace ontime::scheduler
