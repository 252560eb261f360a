// Workers that know when they will leave: near that they get no attempt that would seal nothing.
#include <gtest/gtest.h>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class TimeLimit : public testing::Test {
 protected:
  NodeId register_node(const std::string& name, Duration leaves_in) {
    world_.send(event::NodeRegistered{name, name, "host-" + name, 1, leaves_in});
    const NodeId node = world_.cluster().node_of(name);
    world_.send(event::NodeInventory{node, {}});
    return node;
  }
  void pass(NodeId node, int seconds) {
    for (int second = 0; second < seconds; ++second) {
      world_.heartbeat(node);
      world_.pass(1s);
    }
  }
  // Four attempts show that a launch takes four seconds. Nothing runs or waits then.
  void learn_launches() {
    const NodeId teacher = world_.register_node("teacher", 1);
    world_.submit(400, 100);
    for (int i = 0; i < 4; ++i) {
      const AttemptId id = world_.take_launch();
      pass(teacher, 4);
      world_.start_attempt(id);
      pass(teacher, 2);
      world_.seal_all(id);
    }
    world_.commit(JobId{1});
    world_.send(event::NodeLeaving{teacher});
    world_.take_all();
  }
  std::vector<NodeId> launched_on() {
    std::vector<NodeId> nodes;
    for (const auto& launch : world_.take<action::LaunchAttempt>()) nodes.push_back(launch.node);
    return nodes;
  }

  World world_;
};

TEST_F(TimeLimit, ANodeIsGivenWorkWhileAnAttemptIsExpectedToSealSomething) {
  learn_launches();
  const NodeId node = register_node("a", 60s);
  pass(node, 50);
  world_.submit(100, 100);
  EXPECT_EQ(launched_on(), std::vector{node});  // ten seconds: it starts for four, and maps for six
}

TEST_F(TimeLimit, NearItsEndANodeGetsNothingAndTheNextOneGetsIt) {
  learn_launches();
  const NodeId node = register_node("a", 60s);
  pass(node, 55);
  world_.submit(100, 100);
  EXPECT_TRUE(launched_on().empty());  // it would hardly have started
  const NodeId next = register_node("b", 60s);
  EXPECT_EQ(launched_on(), std::vector{next});
}

TEST_F(TimeLimit, ANodeWithoutOneGetsWorkAtAnyTime) {
  learn_launches();
  const NodeId node = register_node("a", 0s);
  pass(node, 600);
  world_.submit(100, 100);
  EXPECT_EQ(launched_on(), std::vector{node});
}

TEST_F(TimeLimit, WhereStartsTakeLongerThanWorkersLiveWorkIsTriedAllTheSame) {
  learn_launches();
  const NodeId node = register_node("a", 3s);
  world_.submit(100, 100);
  EXPECT_EQ(launched_on(), std::vector{node});
}

// Its clock is not the master's: what it says is how much is left, each time.
TEST_F(TimeLimit, AWorkerThatRegistersAgainSaysWhatIsLeft) {
  learn_launches();
  const NodeId node = register_node("a", 60s);
  pass(node, 10);
  EXPECT_EQ(register_node("a", 5s), node);
  world_.submit(100, 100);
  EXPECT_TRUE(launched_on().empty());
  EXPECT_EQ(world_.cluster().find_node(node)->leaves_at, world_.now() + 5s);
}

}  // namespace
}  // namespace ontime::scheduler
