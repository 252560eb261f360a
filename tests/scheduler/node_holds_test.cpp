#include "scheduler/core/node_holds.h"

#include <gtest/gtest.h>

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kFound{std::chrono::seconds(1000)};
constexpr NodeId kNode{1};

Hold slow_until(TimePoint until) { return {HoldCause::Slow, kFound, until, "it is slow"}; }

TEST(NodeHolds, ALongerHoldReplacesAShorterOneAndGoesOnWithIt) {
  NodeHolds holds;
  holds.add(kNode, slow_until(kFound + 10s));
  holds.add(kNode, {HoldCause::Slow, kFound + 5s, kFound + 20s, "it is still slow"});
  holds.add(kNode, {HoldCause::Slow, kFound + 6s, kFound + 7s, "too short"});
  ASSERT_NE(holds.find(kNode), nullptr);
  EXPECT_EQ(holds.find(kNode)->since, kFound);
  EXPECT_EQ(holds.find(kNode)->until, kFound + 20s);
  EXPECT_EQ(holds.find(kNode)->reason, "it is still slow");
  EXPECT_TRUE(holds.end_due(kFound + 10s).empty());
  EXPECT_EQ(holds.end_due(kFound + 20s).size(), 1u);
  EXPECT_EQ(holds.find(kNode), nullptr);
}

TEST(NodeHolds, OfTwoCausesTheStricterIsShown) {
  NodeHolds holds;
  holds.add(kNode, slow_until(kFound + 60s));
  holds.add(kNode, {HoldCause::Failing, kFound, kFound + 10s, "its attempts fail"});
  EXPECT_EQ(holds.find(kNode)->cause, HoldCause::Failing);
  EXPECT_EQ(holds.count(HoldCause::Slow), 1u);
  holds.end(kNode, HoldCause::Failing, kFound + 1s);
  EXPECT_EQ(holds.find(kNode)->cause, HoldCause::Slow);
}

TEST(NodeHolds, WhatTouchesATimeIsFoundAfterItsEndToo) {
  NodeHolds holds;
  holds.add(kNode, slow_until(kFound + 60s));
  holds.end(kNode, HoldCause::Slow, kFound + 30s);
  holds.add(NodeId{2}, {HoldCause::Failing, kFound + 40s, kFound + 50s, "its attempts fail"});
  const auto both = holds.between(kFound, kFound + 45s);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].node, kNode);
  EXPECT_TRUE(both[0].is_over);
  EXPECT_EQ(both[0].hold.until, kFound + 30s);
  EXPECT_FALSE(both[1].is_over);
  EXPECT_TRUE(holds.between(kFound + 31s, kFound + 39s).empty());
}

TEST(NodeHolds, OnlySoManyThatAreOverAreRemembered) {
  NodeHolds holds;
  for (std::uint32_t node = 1; node <= NodeHolds::kRemembered + 10; ++node) {
    holds.add(NodeId{node}, slow_until(kFound + 1s));
    holds.end(NodeId{node}, HoldCause::Slow, kFound + 1s);
  }
  const auto remembered = holds.between(kFound, kFound + 1s);
  EXPECT_EQ(remembered.size(), NodeHolds::kRemembered);
  EXPECT_EQ(remembered.front().node, NodeId{11});
}

}  // namespace
}  // namespace ontime::scheduler
