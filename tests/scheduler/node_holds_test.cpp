#include "scheduler/core/node_holds.h"

#include <gtest/gtest.h>

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{std::chrono::seconds(1000)};
constexpr NodeId kNode{1};

Hold slow_until(TimePoint until) { return {HoldCause::Slow, kStart, until, "it is slow"}; }

TEST(NodeHolds, ALongerHoldReplacesAShorterOneAndGoesOnWithIt) {
  NodeHolds holds;
  holds.add(kNode, slow_until(kStart + 10s));
  holds.add(kNode, {HoldCause::Slow, kStart + 5s, kStart + 20s, "it is still slow"});
  holds.add(kNode, {HoldCause::Slow, kStart + 6s, kStart + 7s, "too short"});
  ASSERT_NE(holds.find(kNode), nullptr);
  EXPECT_EQ(holds.find(kNode)->since, kStart);
  EXPECT_EQ(holds.find(kNode)->until, kStart + 20s);
  EXPECT_EQ(holds.find(kNode)->reason, "it is still slow");
  EXPECT_TRUE(holds.end_due(kStart + 10s).empty());
  EXPECT_EQ(holds.end_due(kStart + 20s).size(), 1u);
  EXPECT_EQ(holds.find(kNode), nullptr);
}

TEST(NodeHolds, OfTwoCausesTheStricterIsShown) {
  NodeHolds holds;
  holds.add(kNode, slow_until(kStart + 60s));
  holds.add(kNode, {HoldCause::Failing, kStart, kStart + 10s, "its attempts fail"});
  EXPECT_EQ(holds.find(kNode)->cause, HoldCause::Failing);
  EXPECT_EQ(holds.count(HoldCause::Slow), 1u);
  holds.end(kNode, HoldCause::Failing, kStart + 1s);
  EXPECT_EQ(holds.find(kNode)->cause, HoldCause::Slow);
}

TEST(NodeHolds, WhatTouchesATimeIsFoundAfterItsEndToo) {
  NodeHolds holds;
  holds.add(kNode, slow_until(kStart + 60s));
  holds.end(kNode, HoldCause::Slow, kStart + 30s);
  holds.add(NodeId{2}, {HoldCause::Failing, kStart + 40s, kStart + 50s, "its attempts fail"});
  const auto both = holds.between(kStart, kStart + 45s);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].node, kNode);
  EXPECT_TRUE(both[0].is_over);
  EXPECT_EQ(both[0].hold.until, kStart + 30s);
  EXPECT_FALSE(both[1].is_over);
  EXPECT_TRUE(holds.between(kStart + 31s, kStart + 39s).empty());
}

TEST(NodeHolds, OnlySoManyThatAreOverAreRemembered) {
  NodeHolds holds;
  for (std::uint32_t node = 1; node <= NodeHolds::kRemembered + 10; ++node) {
    holds.add(NodeId{node}, slow_until(kStart + 1s));
    holds.end(NodeId{node}, HoldCause::Slow, kStart + 1s);
  }
  const auto remembered = holds.between(kStart, kStart + 1s);
  EXPECT_EQ(remembered.size(), NodeHolds::kRemembered);
  EXPECT_EQ(remembered.front().node, NodeId{11});
}

}  // namespace
}  // namespace ontime::scheduler
