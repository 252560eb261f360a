#include <gtest/gtest.h>

#include "scheduler/core/node_holds.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

class NodeHealthTest : public testing::Test {
 protected:
  std::optional<TimePoint> fails(FailureKind kind, bool works_elsewhere = true, JobId job = JobId{1}) {
    return health_.on_failure(kNode, job, kind, works_elsewhere, now_);
  }
  static constexpr NodeId kNode{7};
  NodeHealth health_;
  TimePoint now_{1000s};
};

TEST_F(NodeHealthTest, ANodeThatCannotStartProcessesIsHeldBackAtOnceAndLongerEachTime) {
  for (const Duration pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    const auto until = fails(FailureKind::Node, false);
    ASSERT_TRUE(until);
    EXPECT_EQ(*until - now_, pause);
    EXPECT_FALSE(fails(FailureKind::Node)) << "several attempts that fail together are one reason";
    now_ = *until;
  }
}

TEST_F(NodeHealthTest, ASealWipesTheSlateClean) {
  now_ = *fails(FailureKind::Storage);
  now_ = *fails(FailureKind::Storage);
  EXPECT_TRUE(health_.on_success(kNode));
  EXPECT_FALSE(health_.on_success(kNode));
  EXPECT_EQ(*fails(FailureKind::Storage) - now_, 1s);
}

TEST_F(NodeHealthTest, WhatOneJobSaysProvesNothing) {
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(fails(FailureKind::Storage, false));
  EXPECT_TRUE(fails(FailureKind::Missing, false, JobId{2}));
}

TEST_F(NodeHealthTest, NeitherAnApplicationThatCrashesNorAStoreThatIsAwayBlamesTheNode) {
  for (const FailureKind kind : {FailureKind::Attempt, FailureKind::Away})
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(fails(kind));
  EXPECT_FALSE(health_.on_done_elsewhere(kNode, now_));
  EXPECT_FALSE(health_.on_done_elsewhere(kNode, now_));
  EXPECT_TRUE(health_.on_done_elsewhere(kNode, now_));
}

TEST_F(NodeHealthTest, AJobThatFailsByItsOwnFaultTakesBackWhatItHasSaid) {
  ASSERT_TRUE(fails(FailureKind::Storage));
  EXPECT_EQ(health_.forgive(JobId{1}), std::vector{kNode});
  EXPECT_TRUE(health_.forgive(JobId{1}).empty());
}

TEST_F(NodeHealthTest, WhatAnotherJobHasSaidStays) {
  ASSERT_TRUE(fails(FailureKind::Storage));
  EXPECT_FALSE(fails(FailureKind::Storage, true, JobId{2}));  // it is held back already
  EXPECT_TRUE(health_.forgive(JobId{1}).empty());
  EXPECT_TRUE(health_.on_success(kNode));
}

}  // namespace
}  // namespace ontime::scheduler
