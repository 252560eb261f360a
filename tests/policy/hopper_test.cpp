#include "scheduler/policies/baselines/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/policy/baseline_world.h"

namespace ontime::scheduler {
namespace {

using test::BaselineWorld;
using testing::ElementsAre;

std::vector<std::uint32_t> shares(std::vector<std::uint32_t> sizes, std::uint32_t slots, double epsilon = 0.1) {
  return hopper_shares(sizes, slots, epsilon);
}

TEST(HopperShares, VirtualSizeIsTwoOverBetaTasksButNotMoreThanTwiceNorLess) {
  EXPECT_EQ(hopper_virtual_size(1.5, 3), 4u);
  EXPECT_EQ(hopper_virtual_size(1.5, 1), 2u);  // rounded up
  EXPECT_EQ(hopper_virtual_size(2, 5), 5u);
  EXPECT_EQ(hopper_virtual_size(9, 5), 5u);
  EXPECT_EQ(hopper_virtual_size(0.5, 5), 10u);
  EXPECT_EQ(hopper_virtual_size(1.5, 0), 0u);
}

TEST(HopperShares, WhenSlotsAreShortTheSmallestAreServedFirstAboveTheFloor) {
  EXPECT_THAT(shares({20, 4, 10}, 20), ElementsAre(6, 4, 10));  // a floor of 6; what is left goes to 10
  EXPECT_THAT(shares({20, 4, 10}, 20, 1), ElementsAre(6, 4, 10));
  EXPECT_THAT(shares({20, 4, 17}, 20, 1), ElementsAre(0, 4, 16));
  EXPECT_THAT(shares({20, 4, 17}, 20, 0), ElementsAre(6, 4, 10));
  EXPECT_THAT(shares({3, 3}, 0), ElementsAre(0, 0));
}

TEST(HopperShares, OtherwiseSlotsAreInProportion) {
  EXPECT_THAT(shares({4, 6}, 20), ElementsAre(8, 12));
  EXPECT_THAT(shares({4, 6, 0}, 10), ElementsAre(4, 6, 0));
  EXPECT_THAT(shares({0, 0}, 10), ElementsAre(0, 0));
}

TEST(Hopper, ASmallJobGetsSlotsBeforeALargeOneThatCameFirst) {
  BaselineWorld world(10);
  const JobId large = world.submit_tasks(100, "hopper");
  EXPECT_EQ(world.job(large).live.size(), 10u);
  const JobId small = world.submit_tasks(4, "hopper");
  world.advance(10.5);  // all slots have been given anew
  EXPECT_EQ(world.job(small).live.size(), 4u);
  EXPECT_EQ(world.job(large).live.size(), 6u);
}

TEST(Hopper, ALargeJobKeepsItsFairPart) {
  BaselineWorld world(10);
  const JobId large = world.submit_tasks(100, "hopper");
  const JobId small = world.submit_tasks(30, "hopper");
  world.advance(10.5);
  EXPECT_EQ(world.job(large).live.size(), 4u);  // floor of 0.9 * 10 / 2
  EXPECT_EQ(world.job(small).live.size(), 6u);
}

TEST(Hopper, NoSlotIsLeftIdleForAShare) {
  BaselineWorld world(10);
  world.submit_tasks(2, "hopper");
  const JobId other = world.submit_tasks(40, "none");
  EXPECT_EQ(world.job(other).live.size(), 8u);
}

TEST(Hopper, CopiesSlowTasksAsLateDoes) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}});
  const JobId job = world.submit_tasks(8, "hopper", {{"min_age", "11s"}, {"beta", "1.5"}});
  world.advance(14);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(3));
}

TEST(Hopper, ReservedCopiesGoBeforeTheTasksOfLargerJobs) {
  const auto copies = [](const std::string& reserve) {
    BaselineWorld world(10);
    world.set_percent(
        [](AttemptId id) { return id.task.job.value == 1 && id.number == 0 && id.task.index == 3 ? 1 : 10.0; });
    const StringMap parameters{{"min_age", "2s"}, {"beta", "1"}, {"reserve", reserve}, {"fit", "flags"}};
    const JobId small = world.submit_tasks(6, "hopper", parameters);
    world.submit_tasks(100, "hopper", parameters);
    world.advance(21);  // slots are given anew at 10 s and 20 s
    return world.copies_launched(small);
  };
  EXPECT_EQ(copies("no"), 0u);  // there is never a free slot that nothing waits for
  EXPECT_EQ(copies("yes"), 1u);
}

}  // namespace
}  // namespace ontime::scheduler
