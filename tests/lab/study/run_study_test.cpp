#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/results/page.h"
#include "lab/simulator/simulator.h"
#include "lab/study/study.h"
#include "tests/lab/study/small_study.h"

namespace ontime::lab {
namespace {

Study study_of(const std::string& text) {
  auto study = read_study(text);
  EXPECT_TRUE(study) << (study ? "" : study.error().message);
  return *study;
}

StudyResult result_of(const Study& study, const StudyOptions& options = {}) {
  auto result = run_study(study, options, one_by_one);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return *result;
}

TEST(RunStudy, HasARowForEachPointAndPolicyWithTheMeanOverItsSeeds) {
  const Study study = study_of(kStudy);
  const StudyResult result = result_of(study);
  ASSERT_EQ(result.rows.size(), 8u);
  EXPECT_EQ(result.runs, 16u);
  const Row& row = result.rows[5];  // many, 20, Ours
  EXPECT_EQ(row.labels, (std::vector<std::string>{"many", "20"}));
  EXPECT_EQ(row.policy, "Ours");
  const auto scenario = scenario_of(study, places_of(study)[2].settings, "shed+:t_min=10s,beta=1.5");
  ASSERT_TRUE(scenario);
  double sum = 0;
  for (const std::uint64_t seed : {1u, 2u}) sum += summarise(run(*scenario, seed).jobs).machine_time.value;
  EXPECT_NEAR(row.values[1].value, sum / 2, 1e-9);
  EXPECT_TRUE(row.values[1].has_interval());
}

TEST(RunStudy, OneSeedHasWilsonsInterval) {
  const StudyResult result = result_of(study_of(kStudy), {1, ""});
  const Estimate& pocd = result.rows[0].values[0];
  const Estimate share = share_of(static_cast<std::uint64_t>(std::lround(pocd.value * 8)), 8);
  EXPECT_NEAR(pocd.low, share.low, 1e-12);
  EXPECT_NEAR(pocd.high, share.high, 1e-12);
  EXPECT_FALSE(result.rows[0].values[1].has_interval());
}

TEST(RunStudy, PutsPrintedNumbersWhereTheirLabelsFit) {
  const StudyResult result = result_of(study_of(kStudy));
  EXPECT_EQ(result.rows[0].printed[0]->low, -1);
  EXPECT_FALSE(result.rows[2].printed[0]);
  EXPECT_EQ(result.rows[3].printed[0]->high, 1);
  const Agreement agreement = agreement_of(result);
  EXPECT_EQ(agreement.printed, 5u);
  EXPECT_LT(agreement.held, 5u);
}

TEST(RunStudy, MeasuresMediansFirstWithTheSameSeeds) {
  const std::string text = kScenario + R"(
study:
  title: T
  seeds: 3
  policies: {A: none}
  vary:
    - name: deadline
      values: [{label: half, set: {jobs.0.deadline: {medians_of: hadoop, times: 0.5}}}]
  measures: [pocd]
)";
  const Study study = study_of(text);
  const StudyResult result = result_of(study);
  const auto scenario = scenario_of(study, {}, "hadoop");
  ASSERT_TRUE(scenario);
  std::vector<double> times;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const JobOutcome& job : run(*scenario, seed).jobs) times.push_back(job.flow_time());
  }
  std::sort(times.begin(), times.end());
  ASSERT_EQ(result.measured.size(), 1u);
  EXPECT_NEAR(result.measured[0].value, quantile_of(times, 0.5) / 2, 1e-9);
  EXPECT_LT(result.rows[0].values[0].value, 0.5);  // half of what half the jobs need
}

TEST(RunStudy, MeasuresMissedDeadlinesForAPolicysParameter) {
  const std::string text = kScenario + R"(
study:
  title: T
  seeds: 2
  policies:
    H: hadoop
    D: {run: "dolly:budget=1", measured: {p: {miss_of: hadoop}}}
  measures: [pocd]
)";
  const StudyResult result = result_of(study_of(text));
  ASSERT_EQ(result.measured.size(), 1u);
  EXPECT_NEAR(result.measured[0].value, 1 - result.rows[0].values[0].value, 1e-9);
}

TEST(RunStudy, TellsGroupsApartByName) {
  const std::string text = R"(
nodes: [{count: 12}]
jobs:
  - {name: quick, count: 4, duration: 5s, deadline: 60s}
  - {name: slow, count: 4, duration: 500s, deadline: 60s}
  - {name: quick, count: 4, duration: 5s, deadline: 60s}
study:
  title: T
  by_group: yes
  policies: {A: none}
  measures: [pocd]
  printed: [{group: slow, pocd: 0}]
)";
  const StudyResult result = result_of(study_of(text));
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[1].labels, std::vector<std::string>{"slow"});
  EXPECT_EQ(result.rows[1].values[0].value, 0);
  EXPECT_FALSE(result.rows[0].printed[0]);
  EXPECT_TRUE(result.rows[1].printed[0]);
}

TEST(RunStudy, OnlyOnePolicyIfAsked) {
  const Study study = study_of(kStudy);
  EXPECT_EQ(result_of(study, {1, "Ours"}).rows.size(), 4u);
  EXPECT_FALSE(run_study(study, {1, "Theirs"}, one_by_one));
}

TEST(RunStudy, AnErrorNamesThePoint) {
  std::string text = kStudy;
  text.replace(text.find("jobs.0.deadline: 40s"), 20, "jobs.0.deadline: bad");
  const auto result = run_study(study_of(text), {}, one_by_one);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, testing::HasSubstr("deadline 40"));
}

}  // namespace
}  // namespace ontime::lab
