#include "lab/experiment/plan.h"

#include <algorithm>
#include <utility>

#include "tests/lab/experiment/read.h"
#include "tests/lab/experiment/rows.h"

namespace ontime::lab::experiment {
namespace {

constexpr const char* kBusy =
    "nodes: [{count: 20}]\n"
    "injection: {pace: 2s, slowdown: 'pareto:1.5', launch: 1s}\n"
    "jobs:\n"
    "  - {name: a, count: 200, tasks: {5: 0.5, 10: 0.3, 20: 0.2}, arrivals: {load: 0.5}, deadline: 9s}\n"
    "  - {name: b, count: 10, tasks: 3, arrivals: {every: 4s}, noise: yes}\n"
    "policies: [none, hadoop]\n"
    "repeat: 2\n"
    "horizon: 3000s\n";

bool same(const std::vector<PlannedJob>& a, const std::vector<PlannedJob>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PlannedJob& x, const PlannedJob& y) {
    return x.at == y.at && x.tasks == y.tasks && x.group == y.group && x.kind == y.kind;
  });
}

TEST(ExperimentPlan, EveryPolicyMeetsTheSameJobsAndEveryRepetitionOthers) {
  const auto runs = plan_runs(read(kBusy));
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[1].policy.name, "hadoop");
  EXPECT_EQ(runs[2].repetition, 2u);
  EXPECT_TRUE(same(runs[0].jobs, runs[1].jobs));
  EXPECT_EQ(runs[0].seed, runs[1].seed);
  EXPECT_FALSE(same(runs[0].jobs, runs[2].jobs));
  EXPECT_TRUE(same(runs[0].jobs, plan_runs(read(kBusy))[0].jobs));
}

TEST(ExperimentPlan, JobsStandInTheOrderOfTheirSubmission) {
  const auto jobs = planned_jobs(read(kBusy), 1);
  EXPECT_EQ(jobs.size(), 210u);
  EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.at < b.at; }));
  EXPECT_EQ(std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job.kind == JobKind::Noise; }), 10);
}

TEST(ExperimentPlan, SizesComeInTheSharesThatAreWanted) {
  const auto jobs = planned_jobs(read(kBusy), 1);
  const auto of = [&](std::uint32_t tasks) {
    return std::count_if(jobs.begin(), jobs.end(), [&](const auto& job) { return job.tasks == tasks; });
  };
  EXPECT_NEAR(static_cast<double>(of(5)), 100, 25);
  EXPECT_NEAR(static_cast<double>(of(20)), 40, 20);
  EXPECT_EQ(of(5) + of(10) + of(20), 200);
}

TEST(ExperimentPlan, ALoadCountsTheMeanWorkOfAJob) {
  const Scenario scenario = read(kBusy);
  const auto work = mean_work(scenario, scenario.jobs[0]);
  ASSERT_TRUE(work);
  EXPECT_NEAR(*work, 9.5 * (2 * 3 + 1), 1e-9);  // a Pareto factor of 1.5 has the mean 3
}

TEST(ExperimentPlan, WarmUpJobsComeFirstAndTheOthersLater) {
  const auto jobs = planned_jobs(read("nodes: [{count: 2}]\nwarm_up: {jobs: 2, tasks: 7, time: 5s}\n"
                                      "jobs: [{app: wordcount, count: 3}]"),
                                 1);
  ASSERT_EQ(jobs.size(), 5u);
  EXPECT_EQ(jobs[1].kind, JobKind::WarmUp);
  EXPECT_EQ(jobs[1].tasks, 7u);
  EXPECT_EQ(jobs[2].at, 5);
}

TEST(ExperimentPlan, JobsThatWouldComeAfterTheHorizonAreNoneOfTheRun) {
  const Scenario scenario = read(
      "nodes: [{count: 2}]\nhorizon: 35s\nrepeat: 2\n"
      "jobs: [{name: a, count: 5, arrivals: {every: 10s}}, {name: b, count: 3, arrivals: {every: 30s}, noise: yes}]");
  EXPECT_EQ(planned_jobs(scenario, 1).size(), 4u + 2u);
  EXPECT_EQ(count_after_horizon(scenario), 2u);
}

TEST(ExperimentPlan, JobsOneByOneWaitForTheOneBefore) {
  const auto jobs = planned_jobs(read("nodes: [{count: 2}]\njobs: [{count: 3, arrivals: one_by_one}]"), 1);
  EXPECT_EQ(jobs[0].at, 0);
  EXPECT_EQ(jobs[1].at, kForEver);
}

TEST(ExperimentPlan, ABaselineTakesTheJobsOfTheFirstRepetitions) {
  const Scenario scenario = read(
      "nodes: [{count: 2}]\nbaseline_runs: 2\nrepeat: 3\nseed: 7\n"
      "jobs: [{count: 5, tasks: {5: 0.5, 9: 0.5}, deadline: {medians_of: none}}]");
  const auto measurements = plan_measurements(scenario);
  const auto runs = plan_runs(scenario);
  ASSERT_EQ(measurements.size(), 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(measurements[i].repetition, i + 1);
    EXPECT_EQ(measurements[i].seed, 7 + i);
    const auto& jobs = runs[i * scenario.policies.size()].jobs;
    ASSERT_EQ(measurements[i].jobs.size(), jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) EXPECT_EQ(measurements[i].jobs[j].tasks, jobs[j].tasks);
  }
}

// Or deadlines would depend on which policies are compared.
TEST(ExperimentPlan, ABaselineIsAsTheFileHasItThoughItIsNotAmongThePoliciesThatAreRun) {
  Scenario scenario = read(
      "nodes: [{count: 2}]\npolicies: {hadoop: 'hadoop:slowtaskthreshold=2', none: none}\n"
      "jobs: [{deadline: {medians_of: hadoop}}]");
  scenario.not_run = std::exchange(scenario.policies, {{"none", "none"}});
  EXPECT_EQ(plan_measurements(scenario).at(0).policy.text, "hadoop:slowtaskthreshold=2");
}

TEST(ExperimentPlan, ABaselineIsMeasuredOnceForAllWhoseDeadlinesNeedIt) {
  const Scenario scenario = read(
      "nodes: [{count: 2}]\npolicies: {mine: 'hadoop:slowtaskthreshold=2', none: none}\n"
      "jobs:\n  - {name: a, deadline: {medians_of: mine, times: 0.5}}\n  - {name: b, deadline: {medians_of: mine}}\n"
      "  - {name: c, deadline: 4s}");
  const auto measurements = plan_measurements(scenario);
  ASSERT_EQ(measurements.size(), 1u);
  EXPECT_TRUE(measurements[0].is_measurement);
  EXPECT_EQ(measurements[0].policy.text, "hadoop:slowtaskthreshold=2");
  const Baselines baselines{{0, {8, 0.25}}, {1, {6, 0.5}}};
  EXPECT_EQ(deadline_of(scenario, 0, baselines), 4);
  EXPECT_EQ(deadline_of(scenario, 1, baselines), 6);
  EXPECT_EQ(deadline_of(scenario, 2, baselines), 4);
  EXPECT_EQ(*policy_text({"x", "dolly:p=$miss,budget=1"}, scenario, 0, baselines), "dolly:p=0.25,budget=1");
  EXPECT_FALSE(policy_text({"x", "dolly:p=$nothing"}, scenario, 0, baselines));
}

TEST(ExperimentPlan, ABaselineIsTheMedianOfItsGroupAndWhatWouldMissTheDeadline) {
  const Scenario scenario =
      read("nodes: [{}]\njobs: [{name: g, deadline: {medians_of: hadoop, times: 0.5}}, {name: h, deadline: 1s}]");
  Results measured;
  for (const double time : {2.0, 10.0, 20.0}) {
    measured.jobs.push_back(succeeded_job("hadoop", 1, time, 0));
    measured.jobs.back().group = "g";
  }
  Baselines baselines;
  add_baselines(baselines, scenario, "hadoop", measured);
  ASSERT_EQ(baselines.size(), 1u);
  EXPECT_EQ(baselines[0].median, 10);
  EXPECT_NEAR(baselines[0].miss, 2 / 3.0, 1e-9);
}

}  // namespace
}  // namespace ontime::lab::experiment
