#include "scheduler/resource_manager.h"

#include <gtest/gtest.h>

#include <string>

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{std::chrono::seconds(1000)};

class ResourceManagerTest : public testing::Test {
 protected:
  void add_nodes(std::uint32_t count, std::uint32_t slots) {
    for (std::uint32_t number = 1; number <= count; ++number) {
      const std::string name = "n" + std::to_string(number);
      cluster_.apply({kStart, record::NodeAdded{NodeId{number}, name, name, "host", slots}});
      cluster_.observe_node(NodeId{number}, NodeState::Live, true, kStart);
      resources_.refresh(cluster_, NodeId{number});
    }
  }
  void observe(std::uint32_t node, double slowness) {
    resources_.observe_slowness(cluster_, NodeId{node}, slowness, kStart);
  }

  Cluster cluster_;
  ResourceManager resources_;
};

TEST_F(ResourceManagerTest, EquallyFastNodesAreTakenInTurn) {
  add_nodes(3, 2);
  EXPECT_EQ(resources_.choose({}), NodeId{1});
  EXPECT_EQ(resources_.free_slots(), 6u);
  EXPECT_EQ(resources_.choose({NodeId{1}, NodeId{2}}), NodeId{3});
  EXPECT_EQ(resources_.choose({NodeId{1}, NodeId{2}, NodeId{3}}), std::nullopt);
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

TEST_F(ResourceManagerTest, ANodeThatKeepsProducingStragglersIsLeftOutForAWhile) {
  add_nodes(3, 1);
  observe(1, 8);
  EXPECT_FALSE(resources_.is_left_out(NodeId{1}));
  observe(1, 8);
  EXPECT_TRUE(resources_.is_left_out(NodeId{1}));
  EXPECT_EQ(resources_.free_slots(), 2u);
  EXPECT_EQ(resources_.slots(), 2u);
  EXPECT_EQ(resources_.choose({NodeId{2}, NodeId{3}}), std::nullopt);
  resources_.end_exclusions(cluster_, kStart + 59s);
  EXPECT_TRUE(resources_.is_left_out(NodeId{1}));
  resources_.end_exclusions(cluster_, kStart + 60s);
  EXPECT_FALSE(resources_.is_left_out(NodeId{1}));
  EXPECT_EQ(resources_.free_slots(), 3u);
}

TEST_F(ResourceManagerTest, ANodeThatComesBackIsLeftOutAgainAtOnceIfItIsStillSlow) {
  add_nodes(3, 1);
  observe(1, 8);
  observe(1, 8);
  resources_.end_exclusions(cluster_, kStart + 60s);
  for (int i = 0; i < 20; ++i) observe(2, 1);
  observe(1, 8);
  EXPECT_TRUE(resources_.is_left_out(NodeId{1}));
}

TEST_F(ResourceManagerTest, AtMostAThirdOfTheNodesIsLeftOut) {
  add_nodes(3, 1);
  for (const std::uint32_t node : {1u, 2u}) {
    observe(node, 8);
    observe(node, 8);
  }
  EXPECT_TRUE(resources_.is_left_out(NodeId{1}));
  EXPECT_FALSE(resources_.is_left_out(NodeId{2}));
}

TEST_F(ResourceManagerTest, TheRulesCanBeSwitchedOff) {
  resources_ = ResourceManager({.apart = false, .fast_first = false, .leave_out = false});
  add_nodes(3, 1);
  for (int i = 0; i < 5; ++i) observe(1, 8);
  EXPECT_FALSE(resources_.is_left_out(NodeId{1}));
  EXPECT_EQ(resources_.choose({}), NodeId{1});
}

TEST_F(ResourceManagerTest, ALostNodeIsForgotten) {
  add_nodes(3, 1);
  observe(1, 8);
  observe(1, 8);
  cluster_.observe_node(NodeId{1}, NodeState::Lost, false, kStart);
  resources_.refresh(cluster_, NodeId{1});
  EXPECT_FALSE(resources_.is_left_out(NodeId{1}));
  EXPECT_EQ(resources_.speed(NodeId{1}), 1);
  EXPECT_EQ(resources_.usable_nodes(), 2u);
}

}  // namespace
}  // namespace ontime::scheduler
