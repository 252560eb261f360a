#include <gtest/gtest.h>

#include "lab/scenario/scenario.h"

namespace ontime::lab {
namespace {

Scenario of(JobGroup group) {
  Scenario scenario;
  scenario.jobs = {std::move(group)};
  return scenario;
}

TEST(PlannedJobs, ScaleMakesSplitsAndDeadlinesLonger) {
  JobGroup group;
  group.count = 50;
  group.duration = Distribution::pareto(10, 2);
  group.scale = Distribution::uniform(1, 4);
  group.deadline_means = 2;
  group.split_bytes = 1 << 20;
  group.record_bytes = 1 << 10;
  double sum = 0;
  for (const PlannedJob& job : plan_jobs(of(group), 1)) {
    EXPECT_DOUBLE_EQ(job.deadline, 40 * job.scale);
    const scheduler::JobSpec spec = spec_of(group, job);
    EXPECT_NEAR(static_cast<double>(spec.split_bytes), (1 << 20) * job.scale, 1 << 10);
    EXPECT_EQ(spec.split_bytes % group.record_bytes, 0u);
    EXPECT_EQ(count_splits(spec), job.tasks);
    sum += job.scale;
  }
  EXPECT_NEAR(sum / 50, 2.5, 0.5);
}

TEST(PlannedJobs, DeadlineCanBeAMultipleOfTheLeastDuration) {
  JobGroup group;
  group.duration = Distribution::pareto(10, 2);
  group.deadline_minima = 6;
  EXPECT_DOUBLE_EQ(plan_jobs(of(group), 1)[0].deadline, 60);
}

TEST(PlannedJobs, TraceGivesArrivalsAndSizes) {
  JobGroup group;
  group.trace = {{1.5, 3}, {7, 1000}};
  group.count = 2;
  const std::vector<PlannedJob> jobs = plan_jobs(of(group), 1);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].at, 1.5);
  EXPECT_EQ(jobs[0].tasks, 3u);
  EXPECT_EQ(jobs[1].tasks, 1000u);
}

}  // namespace
}  // namespace ontime::lab
