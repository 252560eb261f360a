// Real durations as scenarios: what is read, what a world is made of, how it is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/campaigns/real.h"
#include "lab/campaigns/stages.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

using testing::HasSubstr;

std::vector<Stage> some_stages() {
  std::string text = "stage,durations_s\na,";
  for (int i = 0; i < 20; ++i) text += std::to_string(2 + i % 5) + " ";
  text += "9\nshort,0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1\nfew,5 6 7\nb,";
  for (int i = 0; i < 12; ++i) text += std::to_string(10 + i) + (i < 11 ? " " : "\n");
  return read_stages(text).value();
}

TEST(RealStages, AreReadLineByLine) {
  const auto stages = some_stages();
  ASSERT_EQ(stages.size(), 4u);
  EXPECT_EQ(stages[0].name, "a");
  EXPECT_EQ(stages[0].durations.size(), 21u);
  EXPECT_EQ(stages[3].median, 16);
}

TEST(RealStages, WhatCannotBeReadIsNamedByItsLine) {
  EXPECT_THAT(read_stages("h\na,1 2\nb,1 x").error().message, HasSubstr("line 3"));
  EXPECT_THAT(read_stages("h\na,1 -2").error().message, HasSubstr("line 2"));
  EXPECT_THAT(read_stages("h\na").error().message, HasSubstr("line 2"));
}

TEST(RealStages, AreStretchedToOneMedianAndLeftOutIfShortOrFew) {
  StageChoice choice;
  choice.tasks_max = 15;
  const auto stages = choose_stages(some_stages(), choice);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].durations.size(), 15u);
  EXPECT_DOUBLE_EQ(stages[0].durations[2], 60);  // 4 s is the median
  EXPECT_EQ(stages[0].median, 4);
}

TEST(RealScenario, AReplayTakesTheRecordedDurations) {
  const auto stages = choose_stages(some_stages(), {});
  RealCase what;
  what.world = "replay";
  what.launch = 2;
  const Scenario scenario = real_scenario(stages, what).value();
  ASSERT_EQ(scenario.jobs.size(), 2u);
  EXPECT_EQ(scenario.jobs[1].first_durations, stages[1].durations);
  RealTally tally(2, {});
  tally.add(run(scenario, 1));
  const double longest = *std::max_element(stages[1].durations.begin(), stages[1].durations.end());
  EXPECT_NEAR(tally.median_flow_times()[1], longest + 2, 4);
}

TEST(RealScenario, EveryWorldRunsAndMeetsLongDeadlines) {
  const auto stages = choose_stages(some_stages(), {});
  for (const char* world : {"resampled", "replay", "pareto", "lognormal"}) {
    RealCase what;
    what.world = world;
    what.jobs = 2;
    what.policy = "split-resume";
    const auto able = stages_in(world, stages);
    what.deadlines.assign(able.size(), 2000);
    const auto scenario = real_scenario(able, what);
    ASSERT_TRUE(scenario) << world;
    const std::vector<double> forecast_at{0.01};
    Observer observer;
    observer.forecast_at = forecast_at;
    RealTally tally(able.size(), forecast_at);
    tally.add(run(*scenario, 1, observer));
    EXPECT_EQ(tally.pocd().value, 1) << world;
    EXPECT_EQ(tally.machine_time_in(tally).value, 1);
    EXPECT_GT(tally.all_forecasts().count() + tally.all_forecasts().silent(), 0u);
  }
  EXPECT_FALSE(real_scenario(stages, RealCase{.world = "other", .policy = {}, .parameters = {}, .deadlines = {}}));
}

}  // namespace
}  // namespace ontime::lab
