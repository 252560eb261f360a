#include "lab/experiment/summary.h"

#include <cmath>

#include "tests/lab/experiment/read.h"
#include "tests/lab/experiment/rows.h"

namespace ontime::lab::experiment {
namespace {

JobRow job(const std::string& policy, std::uint32_t number, double begin, double time, double deadline) {
  JobRow row = succeeded_job(policy, number, time, deadline);
  row.group = "g";
  row.tasks = 2;
  row.submitted = begin;
  row.ended = begin + time;
  row.attempts = 3;
  row.input_bytes = 100;
  row.duplicated_bytes = 20;
  row.resumed_bytes = 5;
  row.machine = 2 * time;
  return row;
}

AttemptRow attempt(const std::string& policy, std::uint32_t number, double from, double to) {
  AttemptRow row;
  row.policy = policy;
  row.repetition = 1;
  row.job = number;
  row.launched = from;
  row.ended = to;
  return row;
}

Results two_jobs() {
  Results results;
  results.jobs = {job("none", 1, 0, 4, 5), job("none", 2, 6, 8, 5)};
  results.attempts = {attempt("none", 1, 0, 4), attempt("none", 2, 6, 14), attempt("none", 2, 6, 10)};
  CopyRow copies;
  copies.policy = "none";
  copies.repetition = 1;
  copies.job = 2;
  copies.reason = "late";
  copies.attempts = 3;
  results.copies = {copies};
  return results;
}

TEST(ExperimentSummary, AddsUpTheCountedJobsOfAPolicy) {
  const auto all = summarise(two_jobs(), 2);
  ASSERT_EQ(all.size(), 1u);
  const PolicySummary& s = all[0];
  EXPECT_EQ(s.jobs, 2u);
  EXPECT_EQ(s.met, 1u);
  EXPECT_EQ(s.pocd.value, 0.5);
  EXPECT_NEAR(s.pocd.low, 0.0945, 1e-4);  // Wilson, 1 of 2
  EXPECT_NEAR(s.pocd.high, 0.9055, 1e-4);
  EXPECT_EQ(s.time.value, 6);
  EXPECT_EQ(s.p50, 6);
  EXPECT_NEAR(s.p90, 7.6, 1e-9);
  EXPECT_EQ(s.machine.value, 12);
  EXPECT_EQ(s.attempts, 1.5);
  EXPECT_EQ(s.duplicated, 0.2);
  EXPECT_EQ(s.resumed, 0.05);
  EXPECT_NEAR(s.utilisation, (4 + 8 + 4) / (14.0 * 2), 1e-9);
  EXPECT_EQ(s.copies.at("late"), 3u);
}

TEST(ExperimentSummary, NoiseIsNotCountedAndWhatHasNotEndedIsLate) {
  Results results = two_jobs();
  results.jobs.push_back(job("none", 3, 0, 1, 0));
  results.jobs.back().kind = "noise";
  results.jobs.push_back(job("none", 4, 0, 1, 5));
  results.jobs.back().state = "unfinished";
  results.jobs.back().met = false;
  const auto all = summarise(results, 2);
  EXPECT_EQ(all[0].jobs, 3u);
  EXPECT_EQ(all[0].unfinished, 1u);
  EXPECT_EQ(all[0].met, 1u);
  EXPECT_EQ(all[0].time.value, 6);
}

TEST(ExperimentSummary, BusySlotsAreWhatAttemptsOccupy) {
  const auto use = use_over_time({attempt("none", 1, 1, 3), attempt("none", 1, 2, std::nan(""))}, 0, 4, 4);
  ASSERT_EQ(use.size(), 4u);
  EXPECT_EQ(use[0].busy, 0);
  EXPECT_EQ(use[1].busy, 1);
  EXPECT_EQ(use[2].busy, 2);
  EXPECT_EQ(use[3].busy, 1);
}

TEST(ExperimentSummary, ABaselineIsTheMedianOfItsGroupAndWhatWouldMissTheDeadline) {
  const Scenario scenario =
      read("nodes: [{}]\njobs: [{name: g, deadline: {medians_of: hadoop, times: 0.5}}, {name: h, deadline: 1s}]");
  Results measured;
  measured.jobs = {job("hadoop", 1, 0, 2, 0), job("hadoop", 2, 0, 10, 0), job("hadoop", 3, 0, 20, 0)};
  Baselines baselines;
  add_baselines(baselines, scenario, "hadoop", measured);
  ASSERT_EQ(baselines.size(), 1u);
  EXPECT_EQ(baselines[0].median, 10);
  EXPECT_NEAR(baselines[0].miss, 2 / 3.0, 1e-9);
}

TEST(ExperimentSummary, IsWrittenForPrograms) {
  const auto all = summarise(two_jobs(), 2);
  EXPECT_NE(csv_of(all).find("none,,1,2,1,0,0.5,"), std::string::npos);
  EXPECT_NE(csv_of(all).find(",late=3\n"), std::string::npos);
  EXPECT_NE(summary_json(all).find("\"pocd\": 0.5"), std::string::npos);
  EXPECT_NE(csv_of(use_of(two_jobs(), 2)).find("none,1,0,1,2\n"), std::string::npos);
}

}  // namespace
}  // namespace ontime::lab::experiment
