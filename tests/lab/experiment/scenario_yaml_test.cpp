#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/injection/settings.h"
#include "lab/experiment/plan.h"
#include "tests/injection/injections.h"
#include "tests/lab/experiment/read.h"

namespace ontime::lab::experiment {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSmall = "nodes: [{count: 4}]\njobs: [{app: wordcount}]\n";

TEST(ExperimentScenario, HasDefaultsForAllButNodesAndJobs) {
  const Scenario scenario = read(kSmall);
  EXPECT_EQ(slots_of(scenario), 4u);
  EXPECT_EQ(scenario.jobs[0].name, "wordcount");
  EXPECT_EQ(scenario.policies.size(), 4u);
  EXPECT_EQ(scenario.repeat, 1u);
  EXPECT_TRUE(scenario.injection_text.empty());
}

TEST(ExperimentScenario, SaysOneSentenceThatBeginsWithTheLine) {
  EXPECT_THAT(complaint("jobs: [{app: wordcount}]"), HasSubstr("'nodes' is missing"));
  EXPECT_THAT(complaint("nodes: [{count: 4}]"), HasSubstr("'jobs' is missing"));
  EXPECT_THAT(complaint(std::string(kSmall) + "polices: [none]"), StartsWith("line 3: there is no 'polices' here"));
  EXPECT_THAT(complaint("nodes:\n  - {count: 0}\njobs: [{}]"), StartsWith("line 2: there is at least one node"));
  EXPECT_THAT(complaint(std::string(kSmall) + "printed: 0.5"),
              StartsWith("line 3: printed: lines of the form POLICY: NUMBER"));
  EXPECT_THAT(complaint(std::string(kSmall) + "printed: {none: [0.5, 0.4]}"),
              StartsWith("line 3: a printed value is a number"));
  EXPECT_THAT(complaint("nodes:\n  - {count: 1}\n  - {count: 1}\njobs: [{}]"), StartsWith("line 3: two groups"));
  EXPECT_THAT(complaint(std::string(kSmall) + "injection:\n  pace: quickly"), StartsWith("line 4: pace=quickly"));
  EXPECT_THAT(complaint(std::string(kSmall) + "injection:\n  seed: 3"), HasSubstr("outside of its injection"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs:\n  - {tasks: {5: 0.5, 0: 0.5}}"),
              StartsWith("line 3: a job has 1 to"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs:\n  - {arrivals: {load: 0.5}}"),
              StartsWith("line 3: a load needs a pace"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs:\n  - {arrivals: sometimes}"),
              StartsWith("line 3: arrivals: at_once"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs:\n  - {noise: yes, deadline: 3s}"),
              StartsWith("line 3: noise has no"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs: [{noise: yes}]"), HasSubstr("all jobs are noise"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs: [{}, {}]"), HasSubstr("two groups of jobs are called 'wordcount'"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs: [{name: a}, {name: b, arrivals: one_by_one}]"),
              HasSubstr("{every: TIME}"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs: [{count: 5000}]"), HasSubstr("at most 900 jobs"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs:\n  - {trace: {file: x.csv}}"),
              StartsWith("line 3: trace: there is no x.csv"));
  EXPECT_THAT(complaint("nodes: [\n"), StartsWith("line "));
}

TEST(ExperimentScenario, WhatProcessesCannotDoIsForTheSimulator) {
  EXPECT_THAT(complaint(std::string(kSmall) + "outages:\n  - {node: 0, at: 1}"),
              StartsWith("line 4: 'outages' is for 'ontime simulate'"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs:\n  - {duration: {pareto: [1, 2]}}"),
              StartsWith("line 3: 'duration' is for 'ontime simulate'"));
  EXPECT_THAT(complaint("nodes: [{count: 1, disk: {sync: 1s}}]\njobs: [{}]"),
              StartsWith("line 1: 'disk' is for 'ontime simulate'"));
  EXPECT_THAT(complaint(std::string(kSmall) + "study: {title: x}"), HasSubstr("an experiment has no axes"));
  EXPECT_THAT(complaint("nodes:\n  - {slowness: {uniform: [1, 2]}}\njobs: [{}]"),
              StartsWith("line 2: the slowness of a group of processes"));
}

TEST(ExperimentScenario, PoliciesAreCheckedBeforeAnythingRuns) {
  EXPECT_THAT(complaint(std::string(kSmall) + "policies: [nono]"), StartsWith("line 3: there is no policy 'nono'"));
  EXPECT_THAT(complaint(std::string(kSmall) + "policies: ['shed+:speed=1']"),
              StartsWith("line 3: policy shed+ has no parameter 'speed'"));
  EXPECT_THAT(complaint(std::string(kSmall) + "policies: {x: 'shed+:t_min=$t'}"), HasSubstr("$t stands for nothing"));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs: [{deadline: {medians_of: nono}}]"),
              HasSubstr("medians_of: there is no policy"));
  EXPECT_EQ(complaint("nodes: [{count: 1}]\njobs: [{let: {t: 2s}}]\npolicies: {x: 'shed+:t_min=$t'}"), "");
}

TEST(ExperimentScenario, SlowNodesBecomeRulesOfTheInjectionThatAMasterCanRead) {
  const Scenario scenario = read(
      "nodes: [{count: 2}, {name: old, count: 1, slowness: 2.5}]\njobs: [{}]\n"
      "injection: {pace: 1s, node: ['worker-1:3x', 'worker-2:4x']}\n");
  ASSERT_EQ(scenario.injection->nodes.size(), 3u);
  EXPECT_EQ(scenario.injection->nodes[2].pattern, "old-*");
  EXPECT_EQ(scenario.injection->nodes[2].factor, 2.5);
  injection::Injection again;
  injection::test::Traces none;
  const auto applied = apply_document(again, scenario.injection_text, none);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(again, *scenario.injection);
}

TEST(ExperimentScenario, TheShippedOnesCanBeRead) {
  std::size_t read_so_far = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ONTIME_EXPERIMENTS)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_EQ(complaint(text.str()), "") << entry.path();
    ++read_so_far;
  }
  EXPECT_GE(read_so_far, 5u);
}

TEST(ExperimentScenario, WhatOnlySimulationsCanDrawIsRefused) {
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs:\n  - {deadline: {uniform: [2s, 3s]}}"),
              AllOf(HasSubstr("line 3"), HasSubstr("medians_of")));
  EXPECT_THAT(complaint("nodes: [{count: 1}]\njobs: [{deadline: {alone: 2}}]"), HasSubstr("ontime simulate"));
  EXPECT_THAT(complaint("nodes: [{slowness_changes: {every: 3s}}]\njobs: [{}]"), HasSubstr("ontime simulate"));
}

}  // namespace
}  // namespace ontime::lab::experiment
