#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/experiment/rows.h"

namespace ontime::lab::experiment {
namespace {

using testing::HasSubstr;

TEST(ExperimentTables, ComeBackAsTheyWere) {
  Results results;
  JobRow job;
  job.policy = "shed+:theta=1s,\"x\"\nlambda=2";
  job.repetition = 3;
  job.time = 1.25;
  job.ended = std::nan("");
  job.met = true;
  job.resumed_bytes = 1ull << 60;
  results.jobs = {job, job};
  AttemptRow attempt;
  attempt.node = "worker-1";
  attempt.speculative = true;
  results.attempts = {attempt};
  const auto again = results_of(tables_of(results));
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->jobs.size(), 2u);
  EXPECT_EQ(again->jobs[1].policy, job.policy);
  EXPECT_EQ(again->jobs[1].time, 1.25);
  EXPECT_TRUE(std::isnan(again->jobs[1].ended));
  EXPECT_TRUE(again->jobs[1].met);
  EXPECT_EQ(again->jobs[1].resumed_bytes, 1ull << 60);
  EXPECT_TRUE(again->attempts[0].speculative);
  EXPECT_EQ(csv_of(again->jobs), csv_of(results.jobs));
}

TEST(ExperimentTables, WhatIsDamagedIsNamedWithItsLine) {
  auto tables = tables_of(Results{{JobRow{}}, {}, {}, {}, {}});
  tables[0].text += "none,1\n";
  const auto read = results_of(tables);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("jobs.csv, line 3"));
  tables[0].text = "policy,job\n";
  EXPECT_THAT(results_of(tables).error().message, HasSubstr("not those of this version"));
}

}  // namespace
}  // namespace ontime::lab::experiment
