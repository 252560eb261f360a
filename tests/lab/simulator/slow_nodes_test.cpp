// Which nodes get no work because they seem slow: those that are, and not those that had bad luck.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lab/simulator/simulator.h"
#include "tests/injection/injections.h"

namespace ontime::lab {
namespace {

// One job of many tasks, each of 10 s, on 140 nodes of one slot.
Scenario large(std::uint32_t tasks) {
  Scenario scenario;
  scenario.nodes = {{.count = 140, .slots = 1, .slowness = Distribution::constant(1), .name = "worker"}};
  scenario.launch = Distribution::constant(0.1);
  scenario.jobs[0].size.tasks = Distribution::constant(tasks);
  scenario.jobs[0].times.duration = Distribution::uniform(9, 11);
  return scenario;
}

// Names of the nodes that were held back while the first job ran.
std::set<std::string> held_nodes(const Scenario& scenario, std::uint64_t seed) {
  std::set<std::string> names;
  Observer observer;
  observer.ended = [&](JobId, const scheduler::Scheduler& scheduler) {
    for (const auto& held : scheduler.resources().holds().between(TimePoint{}, TimePoint::max())) {
      names.insert(scheduler.cluster().find_node(held.node)->name);
    }
  };
  EXPECT_EQ(run(scenario, seed, observer).jobs[0].state, scheduler::JobState::Succeeded);
  return names;
}

// With the four standard errors of one node that were the rule, this came to some 1,200 node-seconds a seed.
TEST(SlowNodes, StragglersByTaskHoldNoNodeBackWhileThousandsOfTasksWait) {
  injection::test::Traces none;
  double held_back = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Scenario scenario = large(5000);
    scenario.injection.emplace();
    for (const char* setting : {"pace=10s", "straggler=0.05:6x"}) {
      ASSERT_TRUE(injection::apply(*scenario.injection, setting, none).has_value());
    }
    scenario.injection->seed = seed;
    const Outcome outcome = run(scenario, seed);
    EXPECT_EQ(outcome.jobs[0].state, scheduler::JobState::Succeeded);
    held_back += outcome.held_back;
  }
  EXPECT_LT(held_back, 60) << "node-seconds";
}

TEST(SlowNodes, SuchALongTailHoldsHardlyANodeBack) {
  Scenario scenario = large(2800);
  scenario.jobs[0].times.duration = Distribution::pareto(5, 1.5);
  double held_back = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) held_back += run(scenario, seed).held_back;
  EXPECT_LT(held_back, 200) << "node-seconds";
}

TEST(SlowNodes, TheSlowOnesAreFoundAndNoOthers) {
  Scenario scenario = large(2800);
  scenario.nodes = {{.count = 126, .slots = 1, .slowness = Distribution::constant(1), .name = "worker"},
                    {.count = 14, .slots = 1, .slowness = Distribution::constant(5), .name = "slow"}};
  for (const Distribution& duration : {Distribution::uniform(9, 11), Distribution::lognormal(10, 0.4)}) {
    scenario.jobs[0].times.duration = duration;
    const std::set<std::string> held = held_nodes(scenario, 1);
    EXPECT_EQ(held.size(), 14u) << duration.mean();
    for (const std::string& name : held) EXPECT_TRUE(name.starts_with("slow")) << name << ", " << duration.mean();
  }
}

// They work while the queue is long, and leave the last tasks to the others.
TEST(SlowNodes, AreUsedUntilTheOthersWouldBeSooner) {
  Scenario scenario = large(2800);
  scenario.nodes = {{.count = 126, .slots = 1, .slowness = Distribution::constant(1), .name = "worker"},
                    {.count = 14, .slots = 1, .slowness = Distribution::constant(5), .name = "slow"}};
  const double with = run(scenario, 1).jobs[0].flow_time();
  scenario.placement.leave_out = false;
  const double always = run(scenario, 1).jobs[0].flow_time();
  scenario.nodes.pop_back();
  const double never = run(scenario, 1).jobs[0].flow_time();
  EXPECT_LT(with, always - 5);
  EXPECT_LT(with, never);
}

}  // namespace
}  // namespace ontime::lab
