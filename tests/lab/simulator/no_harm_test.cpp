// The default policy is never worse than none: jobs of commands that need time to start, with and without stragglers.
// What is simulated shares one assumption with the scheduler: a segment costs a fixed part and a part per byte.
#include <gtest/gtest.h>

#include <string>

#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

struct Cell {
  std::uint32_t tasks = 12;
  double work = 5;   // seconds of a split
  double start = 0;  // seconds of a segment
  std::uint64_t reads_ahead = 12u << 10;
  std::uint64_t record_bytes = 200;
  double deadline = 0;
};

struct Spent {
  double time = 0;     // sums over seeds, seconds
  double machine = 0;  // slot-seconds
  bool met = true;     // in every run
};

// Two nodes of four slots, splits of 100 KiB, as the jobs of docs/policies.md, "What a decision is worth".
Scenario scenario_of(const Cell& cell) {
  Scenario scenario;
  scenario.nodes[0].count = 2;
  scenario.nodes[0].slots = 4;
  scenario.launch = Distribution::constant(0.01);
  scenario.heartbeat = 0.2;
  scenario.keeps_runners = true;
  scenario.check_invariants = true;
  JobGroup& group = scenario.jobs[0];
  group.size.tasks = Distribution::constant(cell.tasks);
  group.size.split_bytes = 100u << 10;
  group.size.record_bytes = cell.record_bytes;
  group.times.duration = Distribution::lognormal(cell.work, 0.03);
  if (cell.start > 0) group.times.start = Distribution::lognormal(cell.start, 0.05);
  group.times.reads_ahead = cell.reads_ahead;
  group.deadline.seconds = cell.deadline;
  return scenario;
}

Spent spent_under(Scenario scenario, const std::string& policy) {
  constexpr std::uint64_t kSeeds = 3;
  scenario.jobs[0].handling.policy = policy;
  Spent spent;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome outcome = run(scenario, seed);
    const JobOutcome& job = outcome.jobs.at(0);
    EXPECT_TRUE(outcome.broken.empty()) << outcome.broken.front();
    EXPECT_EQ(job.state, scheduler::JobState::Succeeded);
    spent.time += job.flow_time();
    spent.machine += job.machine_time;
    spent.met = spent.met && job.met();
  }
  return spent;
}

std::string name_of(const Cell& cell) {
  return std::to_string(cell.tasks) + " tasks, start " + std::to_string(cell.start) + " s, reads ahead " +
         std::to_string(cell.reads_ahead) + ", records of " + std::to_string(cell.record_bytes);
}

void expect_at_most(const Spent& is, const Spent& none, double time, double machine) {
  EXPECT_LE(is.time, time * none.time);
  EXPECT_LE(is.machine, machine * none.machine);
}

TEST(NoHarm, WithoutStragglersTheDefaultTakesNoLongerAndNoMoreMachineTimeThanNone) {
  constexpr std::pair<std::uint32_t, double> kTasksAndWork[] = {{8, 9}, {12, 5}, {16, 5}, {24, 5}, {32, 2}};
  for (const auto& [tasks, work] : kTasksAndWork) {
    for (const double start : {0.0, 0.2, 0.6, 1.6}) {
      for (const std::uint64_t ahead : {std::uint64_t{8} << 10, injection::kAllAhead}) {
        for (const std::uint64_t records : {1, 2, 8, 100, 1000}) {
          const Cell cell{tasks, work, start * work, ahead, (100u << 10) / records, 0};
          SCOPED_TRACE(name_of(cell));
          const Scenario scenario = scenario_of(cell);
          const Spent none = spent_under(scenario, "none");
          for (const char* policy : {"auto", "shed+", "mantri"}) {
            SCOPED_TRACE(policy);
            expect_at_most(spent_under(scenario, policy), none, 1.05, 1.03);
          }
        }
      }
    }
  }
}

TEST(NoHarm, WithShortStartsTheLastRoundIsDivided) {
  const Scenario scenario = scenario_of({.start = 0.1});
  expect_at_most(spent_under(scenario, "auto"), spent_under(scenario, "none"), 0.85, 1.03);
}

TEST(NoHarm, TwoStragglersAreSavedAlsoWhereStartsAreLong) {
  for (const auto& [start, time] : {std::pair{0.0, 0.65}, std::pair{3.0, 0.70}, std::pair{8.0, 0.95}}) {
    Scenario scenario = scenario_of({.start = start});
    scenario.injection.emplace();
    scenario.injection->pace = std::chrono::seconds(5);
    scenario.injection->straggler = {0.1, 4};
    SCOPED_TRACE("start " + std::to_string(start) + " s");
    expect_at_most(spent_under(scenario, "auto"), spent_under(scenario, "none"), time, 1.03);
  }
}

TEST(NoHarm, ASlowNodeIsLeft) {
  for (const double start : {0.0, 3.0}) {
    Scenario scenario = scenario_of({.start = start});
    scenario.nodes[0].count = 3;
    scenario.nodes[0].slots = 2;
    scenario.nodes.push_back({.count = 1, .slots = 2, .slowness = Distribution::constant(4)});
    SCOPED_TRACE("start " + std::to_string(start) + " s");
    const Spent is = spent_under(scenario, "auto");
    expect_at_most(is, spent_under(scenario, "none"), 0.75, 1.03);
    EXPECT_LE(is.time, 1.1 * spent_under(scenario, "mantri").time);
  }
}

// A fresh attempt in the slot that a slow one leaves would be as slow.
TEST(NoHarm, WhatASlowNodeHasLeftIsNotBegunThereAgain) {
  Scenario scenario = scenario_of({.tasks = 32, .work = 10, .start = 0.5});
  scenario.nodes[0].count = 3;
  scenario.nodes[0].slots = 2;
  scenario.nodes.push_back({.count = 1, .slots = 2, .slowness = Distribution::constant(4)});
  expect_at_most(spent_under(scenario, "auto"), spent_under(scenario, "none"), 1.05, 1.03);
}

TEST(NoHarm, DeadlinesThatNoneMeetsAreMet) {
  for (const auto& [start, deadline] : {std::pair{3.0, 22.0}, std::pair{8.0, 35.0}}) {
    const Scenario scenario = scenario_of({.start = start, .deadline = deadline});
    ASSERT_TRUE(spent_under(scenario, "none").met);
    for (const char* policy : {"auto", "shed+", "s-resume", "mantri"}) {
      EXPECT_TRUE(spent_under(scenario, policy).met) << policy << ", start " << start << " s";
    }
  }
}

// Earlier jobs of the application had bytes ten times as quick: the profile's level is wrong, not the attempts slow.
TEST(NoHarm, AProfileOfQuickerBytesMakesNothingSlow) {
  Scenario scenario = scenario_of({.tasks = 19, .work = 10});
  scheduler::math::DurationSample quick;
  for (int i = 0; i < 40; ++i) quick.add_finished((1 + 0.002 * i) / (100u << 10));
  for (int i = 0; i < 10; ++i) quick.add_launch(0.01);
  scenario.jobs[0].known.profile = quick;
  expect_at_most(spent_under(scenario, "auto"), spent_under(scenario, "none"), 1.05, 1.05);
}

// A job whose bytes take ten times as long as those of the job before, and then another one like it: what both have
// shown is no mixture of quick and slow attempts.
TEST(NoHarm, AProfileOfJobsOfDifferentSpeedMakesNothingSlow) {
  Scenario scenario = scenario_of({.tasks = 19, .work = 10});
  JobGroup& group = scenario.jobs[0];
  group.handling.policy = "auto";
  group.arrivals.at = {0};
  scenario.jobs.push_back(group);
  scenario.jobs[0].times.duration = Distribution::lognormal(1, 0.03);
  scenario.jobs[1].arrivals.at = {100};
  const Outcome before = run(scenario, 1);
  scenario.jobs.push_back(scenario.jobs[1]);
  scenario.jobs[2].arrivals.at = {200};
  const Outcome mixed = run(scenario, 1);
  ASSERT_EQ(mixed.jobs.size(), 3u);
  EXPECT_LE(mixed.jobs[2].attempts, before.jobs[1].attempts + 2);
  EXPECT_LE(mixed.jobs[2].machine_time, 1.05 * before.jobs[1].machine_time);
}

}  // namespace
}  // namespace ontime::lab
