// Attempts, nodes, deadlines and arrivals that differ more than those of the papers: what is drawn is what was asked
// for, and forecasts know of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lab/results/interval.h"
#include "lab/scenario/scenario_yaml.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kHistogram = "from_s,to_s,count\n5,10,60\n10,20,30\n# no machine takes 20 s to 40 s\n40,80,10\n";

Result<Scenario> read_with_histogram(const std::string& text) {
  return read_scenario(text, {[](const std::string& name) -> Result<std::string> {
                         if (name == "times.csv") return std::string(kHistogram);
                         return bad_input("there is no " + name);
                       }});
}

Scenario of(const std::string& text) {
  auto scenario = read_with_histogram(text);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return *scenario;
}

std::string complaint_of(const std::string& text) {
  const auto scenario = read_with_histogram(text);
  return scenario ? "" : scenario.error().message;
}

// Of a job of one task, in seconds from its launch on; nothing else takes time.
double time_of_task(const std::string& node, std::uint64_t seed, const std::string& duration = "10s") {
  const Scenario scenario = of("nodes: [{" + node + "}]\nlaunch: 0\nnetwork_delay: 0\nheartbeat: 10s\n" +
                               "jobs: [{tasks: 1, policy: none, checkpoint: off, duration: " + duration + "}]");
  return run(scenario, seed).jobs.at(0).flow_time();
}

TEST(VariedScenarios, AnAttemptGoesOnAsMuchSlowerAsItsNodeBecomes) {
  EXPECT_NEAR(time_of_task("slowness: 1", 1), 10, 1e-6);
  EXPECT_NEAR(time_of_task("slowness_changes: [{at: 5s, slowness: 2}]", 1), 5 + 5 * 2, 1e-6);
  EXPECT_NEAR(time_of_task("slowness_changes: [{at: 5s, slowness: 2}, {at: 7s, slowness: 1}]", 1), 7 + 4, 1e-6);
  EXPECT_NEAR(time_of_task("slowness: 3, slowness_changes: [{at: 6s, slowness: 1}, {at: 99s, slowness: 9}]", 1), 6 + 8,
              1e-6);
}

// A node is at either slowness for half of the time, in which it does 1 and 1/3 of a second's work: 2/3 in the mean.
TEST(VariedScenarios, SlownessThatIsDrawnAnewComesToItsMeanSpeed) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    sum += time_of_task("slowness: {1: 1, 3: 1}, slowness_changes: {every: 20s}", seed, "4000s");
  EXPECT_NEAR(sum / 20, 6000, 150);
}

TEST(VariedScenarios, AttemptsTakeWhatTheHistogramSays) {
  const Scenario scenario =
      of("nodes: [{count: 200}]\nlaunch: 0\nnetwork_delay: 0\n"
         "jobs: [{count: 2000, tasks: 1, policy: none, checkpoint: off, arrivals: {every: 1s}, duration: {histogram: "
         "times.csv}}]");
  int shares[4] = {};
  double sum = 0;
  for (const JobOutcome& job : run(scenario, 3).jobs) {
    const double time = job.flow_time();
    ++shares[time < 10 ? 0 : time < 20 ? 1 : time < 40 ? 2 : 3];
    EXPECT_GE(time, 5 - 1e-6);
    EXPECT_LE(time, 80 + 1e-6);
    sum += time;
  }
  EXPECT_NEAR(shares[0], 1200, 4 * 22);  // standard errors
  EXPECT_NEAR(shares[1], 600, 4 * 21);
  EXPECT_LE(shares[2], 1) << "by rounding";
  EXPECT_NEAR(shares[3], 200, 4 * 14);
  EXPECT_NEAR(sum / 2000, 0.6 * 7.5 + 0.3 * 15 + 0.1 * 60, 4 * 0.4);
}

std::vector<PlannedJob> jobs_with(const std::string& deadline, std::uint64_t seed = 5) {
  return plan_jobs(of("nodes: [{count: 6, slots: 2, slowness: 2}]\nlaunch: 1s\n"
                      "jobs: [{count: 400, tasks: {1: 1, 30: 1}, duration: {uniform: [8s, 12s]}, scale: {1: 1, 2: 1}, "
                      "deadline: " +
                      deadline + "}]"),
                   seed);
}

TEST(VariedScenarios, DeadlinesAreDrawnPerJobAndTheSameForTheSameSeed) {
  const auto jobs = jobs_with("{uniform: [60s, 120s]}");
  std::vector<double> deadlines;
  for (const PlannedJob& job : jobs) deadlines.push_back(job.deadline);
  std::sort(deadlines.begin(), deadlines.end());
  EXPECT_GE(deadlines.front(), 60);
  EXPECT_LE(deadlines.back(), 120);
  EXPECT_NEAR(quantile_of(deadlines, 0.25), 75, 5);
  EXPECT_NEAR(quantile_of(deadlines, 0.75), 105, 5);
  EXPECT_EQ(jobs_with("{uniform: [60s, 120s]}")[7].deadline, jobs[7].deadline);
  EXPECT_NE(jobs_with("{uniform: [60s, 120s]}", 6)[7].deadline, jobs[7].deadline);
}

// On 12 slots 30 tasks are three waves; a task takes 10 s, as much longer as its job is scaled and its node is slow.
TEST(VariedScenarios, DeadlinesGoByTheSizeOfTheJob) {
  for (const PlannedJob& job : jobs_with("{alone: 1.5}"))
    EXPECT_DOUBLE_EQ(job.deadline, 1.5 * (job.tasks == 1 ? 1 : 3) * (10 * job.scale * 2 + 1));
  double least = 1e9;
  double greatest = 0;
  for (const PlannedJob& job : jobs_with("{minima: {uniform: [2, 4]}}")) {
    least = std::min(least, job.deadline / job.scale);
    greatest = std::max(greatest, job.deadline / job.scale);
  }
  EXPECT_NEAR(least, 16, 0.5);
  EXPECT_NEAR(greatest, 32, 0.5);
}

TEST(VariedScenarios, TheSameJobsComeOnADayThatHasMoreOfThemAtNoon) {
  const auto arrivals = [](const std::string& more) {
    std::vector<double> at;
    for (const PlannedJob& job : plan_jobs(of("nodes: [{count: 4}]\njobs: [{count: 8000, tasks: 1, duration: 2s, "
                                              "arrivals: {load: 0.5" +
                                              more + "}}]"),
                                           2))
      at.push_back(job.at);
    return at;
  };
  const auto steady = arrivals("");
  const auto daily = arrivals(", daily: [1, 0, 4, 3], day: 100s");
  EXPECT_TRUE(std::is_sorted(daily.begin(), daily.end()));
  EXPECT_NEAR(daily.back() / steady.back(), 1, 0.03) << "the load is the mean";
  double counts[4] = {};
  for (const double at : daily) ++counts[static_cast<int>(std::fmod(at, 100) / 25)];
  EXPECT_NEAR(counts[0], 1000, 4 * 30);
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2], 4000, 4 * 45);
  EXPECT_NEAR(counts[3], 3000, 4 * 43);
}

// Said at 30 % and 60 % of the deadline against what came true: in each world at most 0.1 off in the mean.
TEST(VariedScenarios, ForecastsMakeSense) {
  const std::pair<const char*, const char*> kWorlds[] = {
      {"", "{weibull: [12s, 0.7]}"},
      {"", "{weibull: [32s, 2.5]}"},
      {"", "{gamma: [8s, 1.5]}"},
      {"", "{histogram: times.csv}"},
      {", slowness: {1: 3, 3: 1}, slowness_changes: {every: 60s}", "{pareto: [8s, 2]}"}};
  for (const auto& [node, duration] : kWorlds) {
    const Scenario scenario =
        of("nodes: [{count: 40" + std::string(node) +
           "}]\njobs: [{count: 400, tasks: 10, policy: none, history: 60, arrivals: {load: 0.4, daily: [1, 2], day: "
           "400s}, deadline: {uniform: [25s, 80s]}, duration: " +
           duration + "}]");
    Observer observer;
    observer.forecast_at = {0.3, 0.6};
    Calibration calibration;
    for (const JobOutcome& job : run(draw(scenario, 4), 4, observer).jobs) {
      for (const ForecastReading& seen : job.forecasts) calibration.add(seen.pocd, job.met());
    }
    EXPECT_GT(calibration.count(), 300u);
    EXPECT_LT(std::abs(calibration.bias()), 0.1) << duration << node;
    EXPECT_LT(calibration.brier(), calibration.uncertainty()) << duration << node << ": the base rate is no worse";
  }
}

TEST(VariedScenarios, WhatCannotBeIsRefusedWithItsLineAndWhatToDo) {
  const auto job = [](const std::string& keys) {
    return complaint_of("nodes: [{count: 2}]\njobs:\n  - {tasks: 2}\n  - {" + keys + "}\n");
  };
  EXPECT_THAT(job("duration: {weibull: [10s, 0.1]}"), AllOf(HasSubstr("line 4"), HasSubstr("a shape from 0.2 to 100")));
  EXPECT_THAT(job("duration: {weibul: [10s, 1]}"), AllOf(HasSubstr("line 4"), HasSubstr("weibull")));
  EXPECT_THAT(job("duration: {gamma: [0s, 1]}"), HasSubstr("a positive scale"));
  EXPECT_THAT(job("duration: {histogram: none.csv}"), AllOf(HasSubstr("line 4"), HasSubstr("there is no none.csv")));
  EXPECT_THAT(job("deadline: {factor: 2}"), AllOf(HasSubstr("line 4"), HasSubstr("there is no 'factor' here")));
  EXPECT_THAT(job("deadline: {alone: 2, means: 2}"), AllOf(HasSubstr("line 4"), HasSubstr("leave out the other")));
  EXPECT_THAT(job("deadline: {uniform: [60s]}"), AllOf(HasSubstr("line 4"), HasSubstr("two numbers")));
  EXPECT_THAT(job("deadline: {alone: 2}, duration: {pareto: [1s, 0.9]}"), HasSubstr("give seconds or minima"));
  EXPECT_THAT(job("deadline: {uniform: [-2, 3]}"), HasSubstr("cannot be negative"));
  EXPECT_THAT(job("arrivals: {load: 0.5, daily: [0, 0]}"), AllOf(HasSubstr("line 4"), HasSubstr("no part of the day")));
  EXPECT_THAT(job("arrivals: {load: 0.5, day: 9s}"), HasSubstr("give both"));
  EXPECT_THAT(job("arrivals: {every: 5s, daily: [1, 2]}"), HasSubstr("go with a load or a rate"));
  const auto node = [](const std::string& keys) { return complaint_of("nodes:\n  - {" + keys + "}\njobs: [{}]\n"); };
  EXPECT_THAT(node("slowness_changes: 3"), AllOf(HasSubstr("line 2"), HasSubstr("{every: TIME}")));
  EXPECT_THAT(node("slowness_changes: [{at: 3s}]"), AllOf(HasSubstr("line 2"), HasSubstr("what it changes to")));
  EXPECT_THAT(node("slowness_changes: [{at: 3s, slowness: 2}, {at: 2s, slowness: 1}]"), HasSubstr("order"));
  EXPECT_THAT(node("slowness_changes: [{at: 3s, slowness: 0}]"), HasSubstr("positive"));
  EXPECT_THAT(complaint_of("nodes: [{slowness_changes: {every: 3s}}]\njobs: [{}]\ninjection: {pace: 1s}\n"),
              AllOf(HasSubstr("line 1"), HasSubstr("without an injection")));
}

TEST(VariedScenarios, TheBoundDoesNotPromiseWhatChangingNodesCouldBeat) {
  Scenario scenario = of("nodes: [{slowness_changes: {every: 3s}}]\njobs: [{}]");
  const Status chosen = choose_policy(scenario, {std::string(kBound), {}});
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().message, HasSubstr("slowness changes"));
}

TEST(VariedScenarios, AHistogramSaysWhichLineOfItIsWrong) {
  const auto complaint = [](const std::string& text) {
    const auto bins = read_histogram_csv("from_s,to_s,count\n" + text);
    return bins ? "" : bins.error().message;
  };
  EXPECT_EQ(complaint("1,2,3\n"), "");
  EXPECT_THAT(complaint("1,2,3\n2,2,3\n"), AllOf(HasSubstr("line 3"), HasSubstr("a larger to_s")));
  EXPECT_THAT(complaint("1,2,3\n1.5,3,3\n"), AllOf(HasSubstr("line 3"), HasSubstr("none over another")));
  EXPECT_THAT(complaint("1,2,x\n"), HasSubstr("line 2"));
  EXPECT_THAT(complaint("1,2,0\n"), HasSubstr("nothing is in it"));
}

}  // namespace
}  // namespace ontime::lab
