#include "scheduler/core/resource_manager.h"

#include <gtest/gtest.h>

#include <string>

#include "scheduler/core/cluster.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{std::chrono::seconds(1000)};

class ResourceManagerTest : public testing::Test {
 protected:
  void add_nodes(std::uint32_t count, std::uint32_t slots) {
    for (std::uint32_t number = 1; number <= count; ++number) {
      const std::string name = "n" + std::to_string(number);
      cluster_.apply({kStart, fact::NodeAdded{NodeId{number}, name, name, "host", slots}});
      cluster_.observe_node(NodeId{number}, NodeState::Live, true, kStart);
      resources_.refresh(cluster_, NodeId{number});
    }
  }
  void observe(std::uint32_t node, double slowness) {
    resources_.observe_slowness(cluster_, NodeId{node}, {JobId{1}, task_++}, slowness, kStart);
  }
  // Three attempts are enough against as many of the others as are remembered.
  void make_slow(std::uint32_t node, double slowness = 8) {
    for (std::uint32_t other = 1; other <= 3; ++other) {
      for (std::size_t i = 0; other != node && i < NodeSpeeds::kLatest; ++i) observe(other, 1);
    }
    for (int i = 0; i < 3; ++i) observe(node, slowness);
  }
  // An attempt runs on each of them.
  void busy(std::uint32_t first, std::uint32_t last) {
    JobSpec spec;
    spec.inputs = {{"/input", 100, "1", Codec::Plain}};
    spec.split_bytes = 1;
    cluster_.apply({kStart, fact::JobAccepted{JobId{1}, spec}});
    for (std::uint32_t node = first; node <= last; ++node) {
      cluster_.apply({kStart, fact::AttemptLaunched{{{JobId{1}, node}, 0}, NodeId{node}, {node, node + 1}, false}});
      resources_.refresh(cluster_, NodeId{node});
    }
  }
  // Of job 1, whose tasks map a byte each, one ran on that node and has sealed.
  void warm(std::uint32_t node, std::uint32_t task) {
    const AttemptId attempt{{JobId{1}, task}, 0};
    cluster_.apply({kStart, fact::AttemptLaunched{attempt, NodeId{node}, {task, task + 1}, false}});
    cluster_.apply({kStart, fact::SegmentSealed{attempt, {task, task + 1}, task + 1, {}, {}}});
    resources_.refresh(cluster_, NodeId{node});
  }
  // They are not heard of.
  void silence(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t node = first; node <= last; ++node) {
      cluster_.observe_node(NodeId{node}, NodeState::Silent, false, kStart);
      resources_.refresh(cluster_, NodeId{node});
    }
  }

  Cluster cluster_;
  ResourceManager resources_;
  std::uint32_t task_ = 0;
};

TEST_F(ResourceManagerTest, EquallyFastNodesAreTakenInTurn) {
  add_nodes(3, 2);
  EXPECT_EQ(resources_.choose({}), NodeId{1});
  EXPECT_EQ(resources_.free_slots(), 6u);
  EXPECT_EQ(resources_.choose({NodeId{1}, NodeId{2}}), NodeId{3});
  EXPECT_EQ(resources_.choose({NodeId{1}, NodeId{2}, NodeId{3}}), std::nullopt);
}

TEST_F(ResourceManagerTest, AnIdleRunnerOfTheJobDrawsItsNextAttempt) {
  add_nodes(3, 1);
  busy(1, 0);  // nowhere
  warm(3, 0);
  EXPECT_EQ(resources_.choose({}), NodeId{1});
  EXPECT_EQ(resources_.choose({}, {JobId{1}}), NodeId{3});
  EXPECT_EQ(resources_.choose({}, {JobId{2}}), NodeId{1});
  EXPECT_EQ(resources_.choose({NodeId{3}}, {JobId{1}}), NodeId{1});
  EXPECT_EQ(resources_.warm_slots(JobId{1}), 1u);
  EXPECT_EQ(resources_.warm_slots(JobId{2}), 0u);
  const AttemptId next{{JobId{1}, 1}, 0};
  cluster_.apply({kStart, fact::AttemptLaunched{next, NodeId{3}, {1, 2}, false}});
  resources_.refresh(cluster_, NodeId{3});
  EXPECT_TRUE(cluster_.find_attempt(next)->is_warm);
  EXPECT_EQ(resources_.warm_slots(JobId{1}), 0u);
  EXPECT_EQ(resources_.choose({}, {JobId{1}}), NodeId{1});
}

TEST_F(ResourceManagerTest, AnIdleRunnerOnASlowerNodeDrawsAnAttemptIfALaunchIsDear) {
  add_nodes(3, 1);
  busy(1, 0);
  warm(3, 0);
  for (int i = 0; i < 3; ++i) observe(3, 1.9);
  ASSERT_LT(resources_.speed(NodeId{3}), 0.75);
  EXPECT_EQ(resources_.choose({}, {JobId{1}, 0.01}), NodeId{1});
  EXPECT_EQ(resources_.choose({}, {JobId{1}, 1}), NodeId{3});
  for (int i = 0; i < 20; ++i) observe(3, 20);
  ASSERT_LT(resources_.speed(NodeId{3}), 0.2);
  EXPECT_EQ(resources_.choose({}, {JobId{1}, 1}), NodeId{1});
}

TEST_F(ResourceManagerTest, IdleRunnersGoWithTheirJobTheirConnectionAndWithoutRoom) {
  add_nodes(2, 1);
  busy(1, 0);
  for (std::uint32_t task = 0; task < 2; ++task) warm(task + 1, task);
  ASSERT_EQ(resources_.warm_slots(JobId{1}), 2u);
  cluster_.observe_node(NodeId{1}, NodeState::Live, false, kStart);
  cluster_.observe_node(NodeId{1}, NodeState::Live, true, kStart);
  resources_.refresh(cluster_, NodeId{1});
  EXPECT_EQ(resources_.warm_slots(JobId{1}), 1u);
  cluster_.apply({kStart, fact::JobEnded{JobId{1}, JobState::Killed, "", false}});
  EXPECT_TRUE(cluster_.find_node(NodeId{2})->idle_runners.empty());
  // A worker has twice as many processes as slots: of the third job's runner's coming the oldest is the victim.
  for (std::uint32_t number = 2; number <= 4; ++number) {
    JobSpec spec;
    spec.inputs = {{"/input", 2, "1", Codec::Plain}};
    spec.split_bytes = 1;
    cluster_.apply({kStart, fact::JobAccepted{JobId{number}, spec}});
    const AttemptId attempt{{JobId{number}, 0}, 0};
    cluster_.apply({kStart, fact::AttemptLaunched{attempt, NodeId{2}, {0, 1}, false}});
    EXPECT_FALSE(cluster_.find_attempt(attempt)->is_warm);
    cluster_.apply({kStart, fact::SegmentSealed{attempt, {0, 1}, 1, {}, {}}});
  }
  EXPECT_EQ(cluster_.find_node(NodeId{2})->idle_runners, (std::vector{JobId{3}, JobId{4}}));
}

TEST_F(ResourceManagerTest, WithoutTheRuleIdleRunnersDrawNothing) {
  resources_ = ResourceManager({.warm_first = false});
  add_nodes(3, 1);
  busy(1, 0);
  warm(3, 0);
  EXPECT_EQ(resources_.choose({}, {JobId{1}}), NodeId{1});
  EXPECT_EQ(resources_.warm_slots(JobId{1}), 0u);
}

TEST_F(ResourceManagerTest, TheHistoricallyFasterNodeIsTakenFirst) {
  add_nodes(3, 1);
  observe(1, 1.9);
  observe(1, 1.9);
  observe(1, 1.9);
  EXPECT_LT(resources_.speed(NodeId{1}), 0.75);
  EXPECT_EQ(resources_.choose({}), NodeId{2});
}

TEST_F(ResourceManagerTest, OneSlightlySlowAttemptChangesNothing) {
  add_nodes(2, 1);
  observe(1, 1.2);
  EXPECT_EQ(resources_.choose({}), NodeId{1});
}

TEST_F(ResourceManagerTest, ANodeThatKeepsProducingStragglersIsHeldBackForAWhile) {
  add_nodes(3, 1);
  observe(1, 8);
  EXPECT_FALSE(resources_.is_held(NodeId{1}));
  make_slow(1);
  const Hold* hold = resources_.hold_of(NodeId{1});
  ASSERT_NE(hold, nullptr);
  EXPECT_EQ(hold->cause, HoldCause::Slow);
  EXPECT_EQ(hold->since, kStart);
  EXPECT_EQ(hold->until, kStart + 60s);
  EXPECT_EQ(hold->reason,
            "its last 3 attempts, on different tasks, each took at least 8.0 times as long as is usual; of the last 32 "
            "attempts elsewhere 0 did");
  EXPECT_EQ(resources_.free_slots(), 2u);
  EXPECT_EQ(resources_.slots(), 2u);
  EXPECT_EQ(resources_.idle_held_nodes(), 1u);
  EXPECT_EQ(resources_.choose({NodeId{2}, NodeId{3}}), std::nullopt);
  resources_.end_holds(cluster_, kStart + 59s);
  EXPECT_TRUE(resources_.is_held(NodeId{1}));
  resources_.end_holds(cluster_, kStart + 60s);
  EXPECT_FALSE(resources_.is_held(NodeId{1}));
  EXPECT_EQ(resources_.free_slots(), 3u);
  EXPECT_EQ(resources_.idle_held_nodes(), 0u);
}

TEST_F(ResourceManagerTest, ANodeThatComesBackIsHeldBackTwiceAsLongIfItIsStillSlow) {
  add_nodes(3, 1);
  make_slow(1);
  resources_.end_holds(cluster_, kStart + 60s);
  observe(1, 8);
  ASSERT_TRUE(resources_.is_held(NodeId{1}));
  EXPECT_EQ(resources_.hold_of(NodeId{1})->until, kStart + 120s);
}

TEST_F(ResourceManagerTest, AnAttemptAsFastAsUsualEndsTheHold) {
  add_nodes(3, 1);
  make_slow(1);
  observe(1, 1);
  EXPECT_FALSE(resources_.is_held(NodeId{1}));
  EXPECT_EQ(resources_.free_slots(), 3u);
}

TEST_F(ResourceManagerTest, AtMostAThirdOfTheNodesIsHeldBackAsSlow) {
  add_nodes(3, 1);
  make_slow(1);
  for (int i = 0; i < 10; ++i) observe(2, 8);
  EXPECT_TRUE(resources_.is_held(NodeId{1}));
  EXPECT_FALSE(resources_.is_held(NodeId{2}));
}

TEST_F(ResourceManagerTest, AnyNumberOfFailingNodesIsHeldBack) {
  add_nodes(3, 1);
  for (const std::uint32_t node : {1u, 2u, 3u}) {
    resources_.hold(cluster_, NodeId{node}, {HoldCause::Failing, kStart, kStart + 10s, "its attempts fail"});
  }
  EXPECT_EQ(resources_.free_slots(), 0u);
  resources_.offer_slow(1000);
  EXPECT_FALSE(resources_.has_room());
  EXPECT_EQ(resources_.choose_for_waiting({}), std::nullopt);
  resources_.release_hold(cluster_, NodeId{2}, kStart + 1s);
  EXPECT_EQ(resources_.choose({}), NodeId{2});
}

TEST_F(ResourceManagerTest, AFailingNodeThatIsSlowTooGetsNothing) {
  add_nodes(3, 1);
  make_slow(1);
  resources_.hold(cluster_, NodeId{1}, {HoldCause::Failing, kStart, kStart + 10s, "its attempts fail"});
  EXPECT_EQ(resources_.hold_of(NodeId{1})->cause, HoldCause::Failing);
  resources_.offer_slow(1000);
  EXPECT_EQ(resources_.choose_for_waiting({NodeId{2}, NodeId{3}}), std::nullopt);
  resources_.end_holds(cluster_, kStart + 10s);
  EXPECT_EQ(resources_.hold_of(NodeId{1})->cause, HoldCause::Slow);
}

// Four times as slow: it is done with an attempt when the two other slots have taken four each.
TEST_F(ResourceManagerTest, ASlowNodeIsUsedWhileTheQueueIsLonger) {
  add_nodes(3, 1);
  make_slow(1, 4);
  ASSERT_TRUE(resources_.is_held(NodeId{1}));
  resources_.offer_slow(2 + 9);  // two of them get the free slots
  EXPECT_EQ(resources_.choose_for_waiting({}), NodeId{2});
  EXPECT_EQ(resources_.choose_for_waiting({NodeId{2}}), NodeId{3});
  busy(2, 3);
  resources_.offer_slow(7);
  EXPECT_FALSE(resources_.has_room());
  EXPECT_EQ(resources_.choose_for_waiting({}), std::nullopt);
  resources_.offer_slow(9);
  EXPECT_TRUE(resources_.has_room());
  EXPECT_EQ(resources_.choose_for_waiting({}), NodeId{1});
  EXPECT_EQ(resources_.choose({}), std::nullopt);  // but not for a copy
}

TEST_F(ResourceManagerTest, ASlowNodeIsUsedWhereThereIsNoOther) {
  add_nodes(3, 1);
  make_slow(1);
  silence(2, 3);
  EXPECT_FALSE(resources_.has_room());
  resources_.offer_slow(1);
  EXPECT_TRUE(resources_.has_room());
  EXPECT_EQ(resources_.choose_for_waiting({}), NodeId{1});
}

// The work has failed on both others.
TEST_F(ResourceManagerTest, ASlowNodeGetsWhatNoOtherMayTake) {
  add_nodes(3, 1);
  make_slow(1);
  resources_.offer_slow(1);
  EXPECT_EQ(resources_.choose_for_waiting({NodeId{2}, NodeId{3}}), NodeId{1});
  EXPECT_EQ(resources_.choose_for_waiting({NodeId{2}}), NodeId{3});
}

TEST_F(ResourceManagerTest, TheRulesCanBeSwitchedOff) {
  resources_ = ResourceManager({.apart = false, .fast_first = false, .leave_out = false});
  add_nodes(3, 1);
  for (int i = 0; i < 5; ++i) observe(1, 8);
  EXPECT_FALSE(resources_.is_held(NodeId{1}));
  EXPECT_EQ(resources_.choose({}), NodeId{1});
}

TEST_F(ResourceManagerTest, ALostNodeIsForgotten) {
  add_nodes(3, 1);
  make_slow(1);
  cluster_.observe_node(NodeId{1}, NodeState::Lost, false, kStart);
  resources_.refresh(cluster_, NodeId{1});
  EXPECT_FALSE(resources_.is_held(NodeId{1}));
  EXPECT_EQ(resources_.speed(NodeId{1}), 1);
  EXPECT_EQ(resources_.usable_nodes(), 2u);
}

}  // namespace
}  // namespace ontime::scheduler
