// Recorded durations as scenarios: what is read of a file of stages, and the groups of jobs that are made of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/scenario/scenario_yaml.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

using testing::HasSubstr;

std::string some_csv() {
  std::string text = "stage,durations_s\na,";
  for (int i = 0; i < 20; ++i) text += std::to_string(2 + i % 5) + " ";
  text += "9\nshort,0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1\nfew,5 6 7\nb,";
  for (int i = 0; i < 12; ++i) text += std::to_string(10 + i) + (i < 11 ? " " : "\n");
  return text;
}

// Of a group with these stages.
Result<Scenario> scenario_of(const std::string& stages, const std::string& more = "") {
  const auto read_file = [](const std::string&) -> Result<std::string> { return some_csv(); };
  return read_scenario(
      "nodes: [{count: 75, slots: 2}]\nlaunch: {lognormal: [2s, 0.3]}\nheartbeat: 1s\njobs:\n"
      "  - {stages: {file: f, median_min: 1s, tasks_min: 10" +
          stages + "}" + more + "}\n",
      {read_file});
}

TEST(Stages, AreReadLineByLine) {
  const auto stages = read_stages_csv(some_csv()).value();
  ASSERT_EQ(stages.size(), 4u);
  EXPECT_EQ(stages[0].name, "a");
  EXPECT_EQ(stages[0].durations.size(), 21u);
  EXPECT_EQ(stages[3].durations[11], 21);
}

TEST(Stages, WhatCannotBeReadIsNamedByItsLine) {
  const std::string titles = "stage,durations_s\n";
  EXPECT_THAT(read_stages_csv(titles + "a,1 2\nb,1 x").error().message, HasSubstr("line 3"));
  EXPECT_THAT(read_stages_csv(titles + "a,1 -2").error().message, HasSubstr("line 2"));
  EXPECT_THAT(read_stages_csv(titles + "a").error().message, HasSubstr("line 2"));
  EXPECT_THAT(read_stages_csv("stage,times\na,1").error().message, HasSubstr("line 2"));
  EXPECT_THAT(read_stages_csv(titles).error().message, HasSubstr("no stage"));
}

TEST(Stages, AreStretchedToOneMedianAndLeftOutIfShortOrFew) {
  const auto scenario = scenario_of(", tasks_max: 15, median: 60s");
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_EQ(scenario->jobs.size(), 2u);
  EXPECT_EQ(scenario->jobs[0].name, "a");
  EXPECT_EQ(scenario->jobs[0].size.tasks.median(), 15);
  EXPECT_DOUBLE_EQ(scenario->jobs[0].times.duration.median(), 60);  // 4 s is the median
  EXPECT_DOUBLE_EQ(scenario->jobs[0].times.duration.least(), 30);
  EXPECT_THAT(scenario_of(", tasks_max: 0").error().message, HasSubstr("line 5"));
  EXPECT_THAT(scenario_of(", as: gamma").error().message, HasSubstr("resampled"));
}

TEST(Stages, HaveADeadlineOrOneEach) {
  EXPECT_EQ(scenario_of("", ", deadline: 9s")->jobs[1].deadline.seconds, 9);
  EXPECT_EQ(scenario_of("", ", deadline: [9s, 8s]")->jobs[1].deadline.seconds, 8);
  EXPECT_THAT(scenario_of("", ", deadline: [9s]").error().message, HasSubstr("2 stages"));
}

TEST(Stages, SpreadOverTheTimeInWhichTheirWorkIsTheLoad) {
  const auto scenario = scenario_of("", ", count: 6, arrivals: {spread: 0.5}");
  ASSERT_TRUE(scenario) << scenario.error().message;
  double work = 0;
  for (const Stage& stage : {read_stages_csv(some_csv())->at(0), read_stages_csv(some_csv())->at(3)}) {
    for (const double duration : stage.durations) work += duration + 2;
  }
  const double span = 6 * work / (0.5 * 150);
  const auto jobs = plan_jobs(*scenario, 3);
  ASSERT_EQ(jobs.size(), 12u);
  for (const PlannedJob& job : jobs) EXPECT_LT(job.at, span);
  EXPECT_GT(std::max(jobs[5].at, jobs[11].at), span / 2);
}

TEST(Stages, AReplayTakesTheRecordedDurations) {
  const auto scenario = scenario_of(", median: 60s, replay: yes");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const std::vector<double>& recorded = scenario->jobs[1].times.first_durations;
  ASSERT_EQ(recorded.size(), 12u);
  const double longest = *std::max_element(recorded.begin(), recorded.end());
  EXPECT_NEAR(run(*scenario, 1).jobs[1].flow_time(), longest + 2, 4);
}

Result<Scenario> whole_trace(const std::string& rows, const std::string& choice = "") {
  const std::string text = "stage,submit_s,deadline_s,durations_s,first_durations_s,slownesses\n" + rows;
  return read_scenario("{nodes: [{count: 4}], launch: 0, jobs: [{stages: {file: f, whole: yes" + choice + "}}]}",
                       {[text](const std::string&) -> Result<std::string> { return text; }});
}

TEST(Traces, AreSimulatedWholeAsTheyWere) {
  const auto scenario = whole_trace("a,0,40,10 20,12 25,\nb,50,,30,,\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Outcome outcome = run(*scenario, 1);
  ASSERT_EQ(outcome.jobs.size(), 2u);
  EXPECT_NEAR(outcome.jobs[0].flow_time(), 25, 0.1);
  EXPECT_EQ(outcome.jobs[0].deadline, 40);
  EXPECT_EQ(outcome.jobs[1].submitted, 50);
  EXPECT_NEAR(outcome.jobs[1].flow_time(), 30, 0.1);
  EXPECT_EQ(outcome.jobs[1].deadline, 0);
}

TEST(Traces, CopiesDrawWhatTasksTakeOnAUsualNode) {
  const auto aware = whole_trace("a,0,,10 60,,1 3\n", ", as: host-aware");
  ASSERT_TRUE(aware) << aware.error().message;
  EXPECT_EQ(aware->jobs[0].times.duration.mean(), 15);
  EXPECT_EQ(aware->jobs[0].times.first_durations, (std::vector<double>{10, 60}));
  EXPECT_EQ(whole_trace("a,0,,10 60,,1 3\n")->jobs[0].times.duration.mean(), 35);
}

TEST(Traces, WithoutAFitAreResampledNotLeftOut) {
  const auto scenario = whole_trace("a,0,,10,,\n", ", as: pareto");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->jobs[0].times.duration.mean(), 10);
}

TEST(Traces, SayWhatIsWrongWithALine) {
  EXPECT_THAT(whole_trace("a,,,10,,\n").error().message, HasSubstr("'a' of f does not say its submit_s"));
  EXPECT_THAT(whole_trace("a,-1,,10,,\n").error().message, HasSubstr("line 2: submit_s"));
  EXPECT_THAT(whole_trace("a,0,x,10,,\n").error().message, HasSubstr("line 2: deadline_s"));
  EXPECT_THAT(whole_trace("a,0,,10 20,,1\n").error().message, HasSubstr("one for each of durations_s"));
}

TEST(Stages, RunHoweverTheyAreTakenAndMeetLongDeadlines) {
  for (const char* as : {"as: resampled", "replay: yes", "as: pareto", "as: lognormal"}) {
    const auto scenario =
        scenario_of(std::string(", median: 60s, ") + as, ", count: 2, deadline: 2000s, policy: split-resume");
    ASSERT_TRUE(scenario) << as;
    const Outcome outcome = run(*scenario, 1, {.log = {}, .forecast_at = {0.01}});
    EXPECT_EQ(outcome.jobs.size(), 2 * scenario->jobs.size());
    for (const JobOutcome& job : outcome.jobs) {
      EXPECT_TRUE(job.met()) << as;
      EXPECT_EQ(job.forecasts.size(), 1u);
    }
  }
}

TEST(Stages, CanBeThatOfADurationOneForAWholeRun) {
  const auto read_file = [](const std::string&) -> Result<std::string> { return some_csv(); };
  const auto scenario = read_scenario(
      "{nodes: [{count: 2}], heartbeat: 1s, jobs: [{duration: {stages: {file: f, median: 20s}}}]}", {read_file});
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->jobs[0].times.durations.size(), 4u);
  std::vector<double> longest;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    longest.push_back(draw(*scenario, seed).jobs[0].times.duration.at_survival(1e-9));
  }
  EXPECT_GT(*std::max_element(longest.begin(), longest.end()), *std::min_element(longest.begin(), longest.end()));
}

}  // namespace
}  // namespace ontime::lab
