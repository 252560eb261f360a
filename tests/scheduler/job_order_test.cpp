// Which jobs get slots first: by priority, then by the order of the cluster or of their policies.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/core/outlook.h"
#include "tests/scheduler/ordered_policy.h"
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
  // Another job comes, with the next id and more time, and the attempt seals all that it holds: who gets its slot?
  static std::vector<std::uint32_t> launched_beside_another(World& world, NodeId node, AttemptId sealing) {
    world.submit(100, 100, of(60s));
    launched(world);
    world.pass(1s);
    world.heartbeat(node);
    world.seal_all(sealing);
    return launched(world);
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

// They come after those with a deadline. By submission one large job would keep many small ones waiting.
TEST_F(JobOrderTest, OfJobsWithoutADeadlineThatWithTheLeastLeftComesFirst) {
  World world(by(JobOrder::EarliestDeadline));
  world.submit(1000, 10, of(0s));
  world.submit(10, 10, of(0s));
  world.submit(1000, 10, of(9s));
  world.submit(20, 10, of(0s));
  world.register_node("a", 104);
  const std::vector<std::uint32_t> jobs = launched(world);
  ASSERT_EQ(jobs.size(), 104u);
  EXPECT_EQ((std::vector<std::uint32_t>{jobs.begin() + 99, jobs.end()}), (std::vector<std::uint32_t>{3, 2, 4, 4, 1}));
}

TEST_F(JobOrderTest, InOrderOfSubmissionNothingElseCounts) {
  World world(by(JobOrder::Fifo));
  world.submit(20, 10, of(0s));
  world.submit(10, 10, of(0s));
  world.submit(10, 10, of(9s));
  world.register_node("a", 4);
  EXPECT_EQ(launched(world), (std::vector<std::uint32_t>{1, 1, 2, 3}));
}

// Until then it has too much left for its deadline, and comes last.
TEST_F(JobOrderTest, WhatItsAttemptsHaveMappedBringsAJobBackToItsPlace) {
  for (const bool says_so : {true, false}) {
    World world(by(JobOrder::EarliestDeadline));
    const NodeId node = world.register_node("a", 5);
    const JobId large = world.submit(1100, 100, of(25s));
    const auto work_on = [&](std::uint32_t first) {  // five tasks, for 9 s; the slots map 10 bytes a second
      for (std::uint32_t i = first; i < first + 5; ++i) world.start_attempt({{large, i}, 0});
      for (int second = 1; second < 10; ++second) {
        world.pass(1s);
        world.heartbeat(node);
        for (std::uint32_t i = first; i < first + 5 && says_so; ++i) {
          world.heartbeat({{large, i}, 0}, 100 * i + 10 * static_cast<std::uint64_t>(second));
        }
      }
    };
    work_on(0);
    world.pass(1s);
    for (std::uint32_t i = 0; i < 5; ++i) world.seal_all({{large, i}, 0});
    work_on(5);
    EXPECT_EQ(launched_beside_another(world, node, {{large, 5}, 0}), (std::vector<std::uint32_t>{says_so ? 1u : 2u}));
  }
}

// No attempt of it has ended, and no earlier job is like it. Its five slots map 50 bytes a second, and it has 1,000 left.
TEST_F(JobOrderTest, ThePaceOfItsAttemptsShowsThatAJobCannotBeInTime) {
  for (const bool says_so : {true, false}) {
    World world(by(JobOrder::EarliestDeadline));
    const NodeId node = world.register_node("a", 5);
    const JobId large = world.submit(1100, 100, of(20s));
    for (std::uint32_t i = 0; i < 5; ++i) world.start_attempt({{large, i}, 0});
    world.pass(2s);
    world.heartbeat(node);
    for (std::uint32_t i = 0; i < 5 && says_so; ++i) world.heartbeat({{large, i}, 0}, 100 * i + 20);
    EXPECT_EQ(launched_beside_another(world, node, {{large, 0}, 0}), (std::vector<std::uint32_t>{says_so ? 2u : 1u}));
  }
}

class BytesLeft : public test::OrderedPolicyTest {
 protected:
  void map(AttemptId attempt, std::uint64_t offset) {
    world_.start_attempt(attempt);
    world_.heartbeat(attempt, offset);
  }
  void expect_left(JobId job, double bytes) const {
    EXPECT_NEAR(world_.scheduler().outlook(job)->bytes_left(world_.job(job)), bytes, 1e-3);
  }
};

// Of two that race the one that is ahead counts.
TEST_F(BytesLeft, AreWhatIsNeitherSealedNorMapped) {
  world_.register_node("a");
  world_.register_node("b");
  const JobId job = world_.submit(300, 100);
  const AttemptId first{{job, 0}, 0};
  const AttemptId second{{job, 1}, 0};
  expect_left(job, 300);
  map(first, 40);
  expect_left(job, 260);
  map(second, 150);
  expect_left(job, 210);
  world_.seal_all(second);
  expect_left(job, 160);
  world_.register_node("c");
  order(Speculate{first.task, 0, WholeSegment{}});
  const AttemptId copy{first.task, 1};
  map(copy, 30);
  expect_left(job, 160);
  map(copy, 60);
  expect_left(job, 140);
  world_.fail(copy);
  expect_left(job, 160);
}

}  // namespace
}  // namespace ontime::scheduler
