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
  group.times.duration = Distribution::pareto(10, 2);
  group.size.scale = Distribution::uniform(1, 4);
  group.deadline = {.of = JobDeadline::Of::Mean, .times = Distribution::constant(2), .medians_of = {}};
  group.size.split_bytes = 1 << 20;
  group.size.record_bytes = 1 << 10;
  double sum = 0;
  for (const PlannedJob& job : plan_jobs(of(group), 1)) {
    EXPECT_DOUBLE_EQ(job.deadline, 40 * job.scale);
    const scheduler::JobSpec spec = spec_of(group, job);
    EXPECT_NEAR(static_cast<double>(spec.split_bytes), (1 << 20) * job.scale, 1 << 10);
    EXPECT_EQ(spec.split_bytes % group.size.record_bytes, 0u);
    EXPECT_EQ(count_splits(spec), job.tasks);
    sum += job.scale;
  }
  EXPECT_NEAR(sum / 50, 2.5, 0.5);
}

TEST(PlannedJobs, DeadlineCanBeAMultipleOfTheLeastDuration) {
  JobGroup group;
  group.times.duration = Distribution::pareto(10, 2);
  group.deadline = {.of = JobDeadline::Of::Least, .times = Distribution::constant(6), .medians_of = {}};
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

TEST(PlannedJobs, TasksCanBeWavesOnAShareOfTheSlots) {
  JobGroup group;
  group.count = 40;
  group.size.tasks = Distribution::weighted({{1.5, 1}, {2, 1}});
  group.size.share = Distribution::uniform(0.5, 1);
  Scenario scenario = of(group);
  scenario.nodes[0].slots = 20;
  for (const PlannedJob& job : plan_jobs(scenario, 1)) {
    EXPECT_GE(job.tasks, 15u);
    EXPECT_LE(job.tasks, 40u);
  }
  scenario.jobs[0].size.share = Distribution::constant(1);
  for (const PlannedJob& job : plan_jobs(scenario, 1)) EXPECT_TRUE(job.tasks == 30 || job.tasks == 40) << job.tasks;
}

TEST(PlannedJobs, SplitsCanDiffer) {
  JobGroup group;
  group.size.tasks = Distribution::constant(8);
  group.size.split_bytes = 1 << 20;
  group.size.split_lengths = Distribution::uniform(0.25, 1);
  const PlannedJob job = plan_jobs(of(group), 1)[0];
  ASSERT_EQ(job.file_bytes.size(), 8u);
  EXPECT_EQ(count_splits(spec_of(group, job)), 8u);
  for (const std::uint64_t bytes : job.file_bytes) EXPECT_TRUE(bytes >= 1 << 18 && bytes <= 1 << 20) << bytes;
  EXPECT_NE(job.file_bytes[0], job.file_bytes[1]);
}

TEST(PlannedJobs, KeepTheirSizesWithOtherLuck) {
  JobGroup group;
  group.size.tasks = Distribution::uniform(1, 1000);
  group.known.history = 40;
  const Scenario drawn = draw(of(group), 7);
  EXPECT_EQ(plan_jobs(drawn, 8)[0].tasks, plan_jobs(of(group), 7)[0].tasks);
  EXPECT_NE(plan_jobs(of(group), 8)[0].tasks, plan_jobs(of(group), 7)[0].tasks);
  ASSERT_TRUE(drawn.jobs[0].known.profile);
  EXPECT_EQ(drawn.jobs[0].known.profile->finished().size(), 40u);
  EXPECT_EQ(drawn.jobs[0].known.profile->launches().size(), 40u);
  for (const double per_byte : drawn.jobs[0].known.profile->finished())
    EXPECT_GE(per_byte * (128u << 20), 10);  // t_min
}

TEST(PlannedJobs, EarlierAttemptsHaveShownWhatTheirSegmentsCost) {
  using scheduler::math::Beginning;
  JobGroup group;
  group.known.history = 40;
  group.times.duration = Distribution::constant(10);
  group.times.start = Distribution::constant(30);
  group.times.start_of = injection::StartOf::Process;
  const auto known = [&] { return *draw(of(group), 7).jobs[0].known.profile; };
  EXPECT_EQ(known().usual_fixed(Beginning::Cold), 30);
  EXPECT_EQ(known().usual_fixed(Beginning::Warm), 0);
  EXPECT_FALSE(known().takes_at_once());
  EXPECT_NEAR(known().usual_finished() * (128u << 20), 10, 1e-9) << "starts are no work";
  group.times.reads_ahead = injection::kAllAhead;
  EXPECT_TRUE(known().takes_at_once());
  EXPECT_NEAR(known().usual_finished() * (128u << 20), 40, 1e-9) << "nobody can tell one from the other";
}

}  // namespace
}  // namespace ontime::lab
