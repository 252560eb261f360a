#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "common/base/units.h"
#include "lab/results/interval.h"
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

TEST(RunStudy, HasARowForEachPointPolicyAndSeed) {
  const Study study = study_of(kStudy);
  const StudyResult result = result_of(study);
  ASSERT_EQ(result.rows.size(), 16u);
  EXPECT_EQ(result.runs, 16u);
  const auto scenario = scenario_of(study, places_of(study)[2].settings, "shed+:t_min=10s,beta=1.5");
  ASSERT_TRUE(scenario);
  for (const std::uint64_t seed : {1u, 2u}) {
    const Row& row = result.rows[9 + seed];
    EXPECT_EQ(row.labels, (std::vector<std::string>{"many", "20"}));
    EXPECT_EQ(row.policy, "Ours");
    EXPECT_EQ(row.seed, seed);
    EXPECT_EQ(row.of.values[1], summarise(run(*scenario, seed).jobs).machine_time.value);
    EXPECT_NEAR(static_cast<double>(row.of.met) / static_cast<double>(row.of.jobs), row.of.values[0], 1e-12);
  }
}

TEST(RunStudy, RowsAreWrittenToTheLastDigit) {
  const StudyResult result = result_of(study_of(kStudy));
  const std::string csv = runs_csv(result);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 17);
  EXPECT_THAT(csv,
              testing::StartsWith("tasks,deadline,policy,seed,counted_jobs,counted_met,unfinished,pocd,machine_time\n"
                                  "few,20,Hadoop,1,8,"));
  EXPECT_THAT(csv, testing::HasSubstr("," + shortest(result.rows[0].of.values[1]) + "\n"));
  EXPECT_EQ(measured_csv(result), "what,where,value\n");
}

TEST(RunStudy, KeepsWhatAFigureOfCurvesNeeds) {
  std::string text = kStudy;
  text.replace(text.find("{kind: lines, x: deadline, y: pocd}"), 35, "{kind: cdf}");
  const std::string times = times_csv(result_of(study_of(text), {1, {"Ours"}, {}}));
  EXPECT_EQ(std::count(times.begin(), times.end(), '\n'), 1 + 4 * 8);
  text.replace(text.find("{kind: cdf}"), 11, "{kind: over_time, y: busy}");
  const StudyResult result = result_of(study_of("sample_every: 1s\n" + text), {2, {"Ours"}, {}});
  ASSERT_EQ(result.samples.size(), 4u);
  EXPECT_EQ(result.samples[0].seed, 1u);
  EXPECT_THAT(samples_csv(result), testing::HasSubstr("few,20,Ours,1,0,"));
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
  EXPECT_LT(result.rows[0].of.values[0], 0.5);  // half of what half the jobs need
}

// Names in policies' texts mean nothing to a measurement; leaving them out must not disturb the other settings.
TEST(RunStudy, MeasuresBesideSettingsThatAreOfPoliciesAlone) {
  const Study study = study_of(kScenario + R"(
study:
  title: T
  policies: {A: "shed+:$hints", B: bound}
  vary:
    - name: where
      values:
        - label: here
          set:
            $hints: "t_min=10s,beta=1.5"
            nodes: [{count: 6}]
            jobs: [{count: 3, tasks: 4, duration: 10s}]
            jobs.0.deadline: {medians_of: none, times: 0.4}
  measures: [pocd, jobs]
)");
  const StudyResult result = result_of(study);
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[0].of.values[1], 3);
  EXPECT_GT(result.rows[1].of.values[0], result.rows[0].of.values[0]);  // no attempt is so fast
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
  const double met = (result.rows[0].of.values[0] + result.rows[1].of.values[0]) / 2;
  EXPECT_NEAR(result.measured[0].value, 1 - met, 1e-9);
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
)";
  const StudyResult result = result_of(study_of(text));
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[1].labels, std::vector<std::string>{"slow"});
  EXPECT_EQ(result.rows[0].of.jobs, 8u);
  EXPECT_EQ(result.rows[1].of.values[0], 0);
}

TEST(RunStudy, MeasuresMediansWithSeedsOfTheirOwnAndForEachJobWithOtherLuck) {
  for (const char* how : {"seed: 1001", "other_luck: yes"}) {
    const Study study = study_of(kScenario + R"(
study:
  title: T
  seeds: 2
  policies: {A: none}
  vary:
    - name: deadline
      values: [{label: usual, set: {jobs.0.deadline: {medians_of: none, times: 1, runs: 3, )" +
                                 how + R"(}}}]
  measures: [pocd]
  forecasts: {deadline: [0.01]}
)");
    std::map<std::uint64_t, double> deadlines;  // by seed
    for (const RunForecasts& run : result_of(study).forecasts) deadlines[run.seed] = run.jobs.at(0).deadline;
    const bool apart = std::string(how) == "other_luck: yes";
    EXPECT_EQ(deadlines.at(1) == deadlines.at(2), !apart) << how;
    const auto scenario = scenario_of(study, {}, "none");
    std::vector<double> times;
    for (const std::uint64_t i : {0u, 1u, 2u}) {
      const Outcome outcome = apart ? run(draw(*scenario, 2), 2 + (i + 1) * 1'000'003) : run(*scenario, 1001 + i);
      for (const JobOutcome& job : outcome.jobs) times.push_back(job.flow_time());
    }
    std::sort(times.begin(), times.end());
    EXPECT_NEAR(deadlines.at(2), quantile_of(times, 0.5), apart ? 1e-6 : 0.01 * deadlines.at(2)) << how;
  }
}

TEST(RunStudy, ReadsForecastsAtSharesOfLifeAndDeadlineAndChangesNothing) {
  const StudyResult before = result_of(study_of(kStudy));
  const Study study = study_of(kStudy + "  forecasts: {life: [0.25, 0.5], deadline: [0.3]}\n");
  const StudyResult result = result_of(study);
  EXPECT_EQ(result.rows[0].of.values[1], before.rows[0].of.values[1]);
  ASSERT_EQ(result.forecasts.size(), 16u);
  EXPECT_EQ(result.forecasts[3].labels, (std::vector<std::string>{"few", "20"}));
  EXPECT_EQ(result.forecasts[3].policy, "Ours");
  EXPECT_EQ(result.forecasts[3].seed, 2u);
  std::size_t of_life = 0;
  for (const JobForecast& job : result.forecasts[3].jobs) {
    of_life += job.of_life ? 1 : 0;
    EXPECT_TRUE(job.of_life ? job.share == 0.25 || job.share == 0.5 : job.share == 0.3) << job.share;
    EXPECT_EQ(job.met, job.end <= job.deadline);
    EXPECT_TRUE(job.of_life || job.end > 0.3 * job.deadline);
  }
  EXPECT_EQ(of_life, 16u);
  EXPECT_THAT(forecasts_csv(result), testing::HasSubstr("\nfew,20,Ours,2,1,words,2,"));
}

TEST(RunStudy, GivesPlacesSeedsOfTheirOwnAndTakesSomeOfThePoints) {
  std::string text = kStudy;
  text.replace(text.find("- name: deadline"), 16, "- name: deadline\n      pooled: yes");
  text.erase(text.find("  printed:"), text.find("  assumptions:") - text.find("  printed:"));
  text.erase(text.find("  figure:"));
  Study study = study_of(text + "  own_seeds: yes\n  forecasts: {deadline: [0.1]}\n");
  const StudyResult all = result_of(study);
  ASSERT_EQ(all.rows.size(), 16u);
  EXPECT_EQ(all.axes, (std::vector<std::string>{"tasks", "deadline"}));
  EXPECT_EQ(all.forecasts[4].seed, 3u);  // of the second place
  study.every = 3;
  const StudyResult some = result_of(study, {0, {}, 11});
  EXPECT_EQ(some.runs, 6u);  // the first, fourth and seventh of eight points
  EXPECT_EQ(some.forecasts[2].labels, (std::vector<std::string>{"few", "40"}));
  EXPECT_EQ(some.forecasts[2].policy, "Ours");
  EXPECT_EQ(some.forecasts[2].seed, 13u);
}

TEST(RunStudy, OnlyOnePolicyIfAsked) {
  const Study study = study_of(kStudy);
  EXPECT_EQ(result_of(study, {1, {"Ours"}, {}}).rows.size(), 4u);
  EXPECT_FALSE(run_study(study, {1, {"Theirs"}, {}}, one_by_one));
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
