#include "scheduler/timers.h"

#include <gtest/gtest.h>

namespace ontime::scheduler {
namespace {

TimePoint at(int s) { return TimePoint(std::chrono::seconds(s)); }

TEST(Timers, FireInOrderOfTime) {
  Timers timers;
  timers.arm(node_silence(NodeId{2}), at(5));
  timers.arm(node_silence(NodeId{1}), at(3));
  EXPECT_EQ(timers.next(), at(3));
  EXPECT_FALSE(timers.take_due(at(2)));
  EXPECT_EQ(timers.take_due(at(9)), node_silence(NodeId{1}));
  EXPECT_EQ(timers.take_due(at(9)), node_silence(NodeId{2}));
  EXPECT_FALSE(timers.take_due(at(9)));
}

TEST(Timers, ArmingAgainMoves) {
  Timers timers;
  timers.arm(policy_check(1), at(3));
  timers.arm(policy_check(1), at(8));
  EXPECT_FALSE(timers.take_due(at(7)));
  EXPECT_TRUE(timers.take_due(at(8)));
  EXPECT_FALSE(timers.next());
}

TEST(Timers, DisarmedDoesNotFire) {
  Timers timers;
  timers.arm(policy_check(1), at(3));
  timers.disarm(policy_check(1));
  EXPECT_FALSE(timers.take_due(at(9)));
}

}  // namespace
}  // namespace ontime::scheduler
