// A store that is away is no fault of the task that is read from it, for as many attempts as a segment may fail.
#include <gtest/gtest.h>

#include <vector>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

class StoreAway : public testing::Test {
 protected:
  void SetUp() override {
    register_nodes();
    job_ = world_.submit(100, 100);
  }
  void register_nodes() {
    for (const char* name : {"a", "b"}) world_.register_node(name);
  }
  // As soon as there is one.
  void fail_next() {
    std::vector<action::LaunchAttempt> launched;
    for (int second = 0; second < 120 && (launched = world_.take<action::LaunchAttempt>()).empty(); ++second) {
      world_.pass(1s);
      for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
    }
    ASSERT_EQ(launched.size(), 1u);
    world_.fail(launched.front().attempt, "cannot read s3://bucket/in", FailureKind::Away);
  }
  std::uint32_t failures() const { return world_.cluster().find_task({job_, 0})->ledger.find(0)->failures; }

  test::World world_;
  JobId job_;
};

TEST_F(StoreAway, CostsASegmentNoneOfItsAttemptsBeforeItHasEndedAsManyAsMayFail) {
  for (int i = 0; i < 4; ++i) fail_next();
  EXPECT_EQ(failures(), 0u);
  world_.restart();
  register_nodes();
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(world_.job(job_).state, JobState::Running);
    fail_next();
    EXPECT_EQ(failures(), i + 1);
  }
  EXPECT_EQ(world_.job(job_).state, JobState::Failed);
}

}  // namespace
}  // namespace ontime::scheduler
