// Which jobs get slots first: by priority, then by the order of the cluster or of their policies.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class JobOrderTest : public testing::Test {
 protected:
  static Settings by(JobOrder order) {
    Settings settings;
    settings.job_order = order;
    return settings;
  }
  static JobSpec of(Duration deadline, std::int32_t priority = 0, const std::string& policy = "none") {
    JobSpec spec = World::quiet_spec();
    spec.deadline = deadline;
    spec.priority = priority;
    spec.policy = policy;
    return spec;
  }
  static std::vector<std::uint32_t> launched(World& world) {
    std::vector<std::uint32_t> jobs;
    for (const auto& launch : world.take<action::LaunchAttempt>()) jobs.push_back(launch.attempt.task.job.value);
    return jobs;
  }
};

TEST_F(JobOrderTest, SmallJobsWithDeadlinesDoNotWaitForALargeOne) {
  World world(by(JobOrder::EarliestDeadline));
  world.submit(1000, 10, of(0s, 0, "shed+"));
  for (int i = 0; i < 3; ++i) world.submit(10, 10, of(10s - i * 1s, 0, "shed+"));
  world.register_node("a", 4);
  EXPECT_EQ(launched(world), (std::vector<std::uint32_t>{4, 3, 2, 1}));
}

TEST_F(JobOrderTest, WithoutAnOrderOfTheClusterThePolicyDecides) {
  World world;
  world.submit(1000, 10, of(0s, 0, "shed+"));
  world.submit(10, 10, of(10s, 0, "shed+"));
  world.register_node("a", 2);
  EXPECT_EQ(launched(world), (std::vector<std::uint32_t>{1, 1}));
}

TEST_F(JobOrderTest, AHigherPriorityComesBeforeAnyDeadline) {
  World world(by(JobOrder::EarliestDeadline));
  world.submit(10, 10, of(1s));
  world.submit(10, 10, of(0s, -1));
  world.submit(10, 10, of(0s, 1));
  world.register_node("a", 3);
  EXPECT_EQ(launched(world), (std::vector<std::uint32_t>{3, 1, 2}));
}

// What ten bytes cost is known from an earlier job: two seconds.
TEST_F(JobOrderTest, AJobThatCannotBeInTimeComesAfterThoseThatCan) {
  World world(by(JobOrder::EarliestDeadline));
  world.register_node("a", 2);
  world.submit(50, 10, of(100s));
  const auto finish = [&] {
    for (const auto& launch : world.take<action::LaunchAttempt>()) {
      world.start_attempt(launch.attempt);
      world.pass(2s);
      world.seal_all(launch.attempt);
    }
  };
  for (int i = 0; i < 5; ++i) finish();
  world.commit(JobId{1});
  const JobId filler = world.submit(20, 10, of(100s));
  world.submit(1000, 10, of(10s));
  const JobId small = world.submit(10, 10, of(20s));
  world.pass(1s);
  const auto running = world.take<action::LaunchAttempt>();
  ASSERT_EQ(running.size(), 2u);
  EXPECT_EQ(running.front().attempt.task.job, filler);
  world.seal_all(running.front().attempt);
  EXPECT_EQ(launched(world), (std::vector<std::uint32_t>{small.value}));
}

TEST_F(JobOrderTest, AJobThatIsLateComesBeforeThoseWithoutADeadline) {
  World world(by(JobOrder::EarliestDeadline));
  world.submit(10, 10, of(0s));
  world.submit(10, 10, of(1s));
  world.submit(10, 10, of(10s));
  world.pass(2s);
  world.register_node("a", 3);
  EXPECT_EQ(launched(world), (std::vector<std::uint32_t>{3, 2, 1}));
}

}  // namespace
}  // namespace ontime::scheduler
