#include "scheduler/core/timers.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <utility>

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

// Whatever is armed, moved and disarmed: what fires is what a plain list of the armed timers says.
TEST(Timers, FireAsAListOfThemWould) {
  EXPECT_TRUE(rc::check([] {
    Timers timers;
    std::map<Timer, TimePoint> model;
    for (int step = 0; step < 300; ++step) {
      const Timer timer = policy_check(*rc::gen::inRange(0u, 8u));
      const TimePoint when = at(*rc::gen::inRange(0, 50));
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          timers.disarm(timer);
          model.erase(timer);
          break;
        case 1: {
          const auto earliest = std::min_element(model.begin(), model.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second, a.first) < std::pair(b.second, b.first);
          });
          const auto taken = timers.take_due(when);
          RC_ASSERT(taken.has_value() == (earliest != model.end() && earliest->second <= when));
          if (!taken) break;
          RC_ASSERT(*taken == earliest->first);
          model.erase(earliest);
          break;
        }
        default:
          timers.arm(timer, when);
          model[timer] = when;
      }
      RC_ASSERT(timers.next().has_value() == !model.empty());
    }
  }));
}

}  // namespace
}  // namespace ontime::scheduler
