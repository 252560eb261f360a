#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/experiment/rows.h"

namespace ontime::lab::experiment {
namespace {

using testing::HasSubstr;

TEST(ExperimentTables, ComeBackAsTheyWere) {
  JobRow job;
  job.policy = "shed+:theta=1s,\"x\"\nlambda=2";
  job.repetition = 3;
  job.time = 1.25;
  job.ended = std::nan("");
  job.met = true;
  job.resumed_bytes = 1ull << 60;
  AttemptRow attempt;
  attempt.node = "worker-1";
  attempt.speculative = true;
  const auto jobs = csv_of(std::vector{job, job}, Digits::Millionths);
  const auto again = read_csv<JobRow>("jobs.csv", jobs);
  const auto attempts = read_csv<AttemptRow>("attempts.csv", csv_of(std::vector{attempt}, Digits::Millionths));
  ASSERT_TRUE(again && attempts);
  ASSERT_EQ(again->size(), 2u);
  EXPECT_EQ((*again)[1].policy, job.policy);
  EXPECT_EQ((*again)[1].time, 1.25);
  EXPECT_TRUE(std::isnan((*again)[1].ended));
  EXPECT_TRUE((*again)[1].met);
  EXPECT_EQ((*again)[1].resumed_bytes, 1ull << 60);
  EXPECT_TRUE(attempts->front().speculative);
  EXPECT_EQ(csv_of(*again, Digits::Millionths), jobs);
}

TEST(ExperimentTables, WhatIsDamagedIsNamedWithItsLine) {
  const auto read = read_csv<JobRow>("jobs.csv", csv_of(std::vector<JobRow>(1)) + "none,1\n");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("jobs.csv, line 3"));
  EXPECT_THAT(read_csv<JobRow>("jobs.csv", "policy,job\n").error().message, HasSubstr("not those of an experiment of this version"));
}

}  // namespace
}  // namespace ontime::lab::experiment
