// Rules of engines. Attempts map 10 % of their split per second: a healthy task takes 10 s, and 0.1 s to begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/policies/baselines/baselines.h"
#include "tests/policy/baseline_world.h"

namespace ontime::scheduler {
namespace {

using test::BaselineWorld;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(SparkThreshold, IsThreeMediansOnceNineTenthsAreDone) {
  const std::vector<double> nine{9, 8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(spark_threshold({}, 10, nine), 15);
  EXPECT_EQ(spark_threshold({}, 11, nine), 15);  // floor(9.9)
  EXPECT_EQ(spark_threshold({}, 10, std::span(nine).first(8)), std::nullopt);
  EXPECT_EQ(spark_threshold({}, 1, {}), std::nullopt);
  EXPECT_EQ(spark_threshold({0.5, 1.5, 20}, 4, std::vector<double>{2, 4}), 20);
}

TEST(FlinkBaseline, IsOneAndAHalfOfTheMedianOfTheShortest) {
  EXPECT_EQ(flink_baseline({}, 8, {6, 5, 4, 3, 2, 1}), 6);      // of 1 to 6 the upper one in the middle
  EXPECT_EQ(flink_baseline({}, 8, {90, 6, 5, 4, 3, 2, 1}), 6);  // and the seventh does not count
  EXPECT_EQ(flink_baseline({}, 8, {5, 4, 3, 2, 1}), std::nullopt);
  EXPECT_EQ(flink_baseline({0, 1.5}, 8, {}), 0);
}

TEST(Spark, CopiesWhatHasRunForThreeMedians) {
  BaselineWorld world(30);
  world.slow_down({{0, 1}});
  const JobId job = world.submit_tasks(20, "spark");
  world.advance(30);
  EXPECT_THAT(world.tasks_with_copies(job), IsEmpty());
  world.advance(2);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(0));
}

TEST(Spark, LeavesWhatMapsRecordsAsFastAsOthersTwiceAsLong) {
  BaselineWorld world(30);
  world.slow_down({{0, 1}});
  const JobId job = world.submit_tasks(20, "spark", {{"process_rate_multiplier", "0.05"}});
  world.advance(60);
  EXPECT_THAT(world.tasks_with_copies(job), IsEmpty());
  world.advance(2);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(0));
}

TEST(Spark, JudgesNothingBeforeItsQuantileUnlessAThresholdIsGivenForSmallJobs) {
  const auto copies = [](std::uint32_t tasks, const StringMap& parameters) {
    BaselineWorld world(30);
    std::map<std::uint32_t, double> slow;
    for (std::uint32_t task = 0; task < 3; ++task) slow[task] = 1;
    world.slow_down(slow);
    const JobId job = world.submit_tasks(tasks, "spark", parameters);
    world.advance(50);
    return world.copies_launched(job);
  };
  EXPECT_EQ(copies(20, {}), 0u);
  EXPECT_EQ(copies(20, {{"quantile", "0.85"}}), 3u);
  EXPECT_EQ(copies(20, {{"threshold", "20s"}}), 0u);
  EXPECT_EQ(copies(20, {{"threshold", "20s"}, {"executor_slots", "20"}}), 3u);
  EXPECT_EQ(copies(1, {}), 0u);
  EXPECT_EQ(copies(1, {{"threshold", "20s"}}), 1u);
}

TEST(Flink, CopiesWhatHasRunForTheBaselineAndTheLowerBound) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}});
  const JobId quick = world.submit_tasks(20, "flink", {{"lower_bound", "1s"}});
  const JobId patient = world.submit_tasks(5, "flink");
  world.advance(14);
  EXPECT_THAT(world.tasks_with_copies(quick), IsEmpty());
  world.advance(3);
  EXPECT_THAT(world.tasks_with_copies(quick), ElementsAre(3));
  world.advance(42);
  EXPECT_THAT(world.tasks_with_copies(patient), IsEmpty());
  world.advance(3);
  EXPECT_THAT(world.tasks_with_copies(patient), ElementsAre(3));
}

TEST(GrassPays, IfItSavesSlotsOrAtTheEndTime) {
  EXPECT_FALSE(grass_pays(GrassMode::ResourceAware, 19, 10, 1));
  EXPECT_TRUE(grass_pays(GrassMode::ResourceAware, 21, 10, 1));
  EXPECT_TRUE(grass_pays(GrassMode::ResourceAware, 16, 10, 2));
  EXPECT_TRUE(grass_pays(GrassMode::Greedy, 11, 10, 1));
  EXPECT_FALSE(grass_pays(GrassMode::Greedy, 9, 10, 1));
}

TEST(Grass, IsGreedyInTheLastWavesOnly) {
  const auto copies = [](const std::string& waves) {
    BaselineWorld world(20);
    world.slow_down({{3, 4}});  // at 10 s it has 15 s left
    const JobId job = world.submit_tasks(20, "grass", {{"waves", waves}});
    world.advance(12);
    return world.copies_launched(job);
  };
  EXPECT_EQ(copies("2"), 1u);
  EXPECT_EQ(copies("0"), 0u);
}

}  // namespace
}  // namespace ontime::scheduler
