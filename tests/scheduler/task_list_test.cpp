#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/core/task.h"
#include "scheduler/core/zeros.h"
#include "scheduler/forecast/forecast.h"
#include "scheduler/policies/policy.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler::test {
namespace {

using namespace std::chrono_literals;

JobSpec spec_of(std::uint64_t tasks) {
  JobSpec spec;
  spec.inputs = {{"/input", tasks * 10, "1", Codec::Plain}};
  spec.split_bytes = 10;
  return spec;
}

TEST(TaskList, ATaskIsMadeWithThoseBeforeItWhenItIsAskedForAndStaysWhereItIs) {
  const JobSpec spec = spec_of(100'000);
  const TaskList tasks(spec);
  EXPECT_EQ(tasks.size(), 100'000u);
  EXPECT_TRUE(tasks.made().empty());
  const Task* third = &tasks[3];
  EXPECT_EQ(third->ledger.split(), (ByteRange{30, 40}));
  EXPECT_EQ(tasks.made().size(), 4u);
  EXPECT_EQ(tasks[99'999].ledger.split(), (ByteRange{999'990, 1'000'000}));
  EXPECT_EQ(&tasks[3], third);
}

TEST(TaskList, ALookMakesNoTask) {
  const JobSpec spec = spec_of(100);
  TaskList tasks(spec);
  tasks.at(1).is_counted = true;
  const auto begin_of = [](const Task& task) { return task.ledger.split().begin; };
  EXPECT_EQ(tasks.look_at(70, begin_of), 700u);
  EXPECT_TRUE(tasks.look_at(1, [](const Task& task) { return task.is_counted; }));
  EXPECT_EQ(tasks.made().size(), 2u);
}

TEST(TaskList, WhatIsSharedStaysAsItWas) {
  const JobSpec spec = spec_of(100);
  TaskList tasks(spec);
  tasks.at(1);
  const SharedTasks shared = tasks.share();
  tasks.at(50);
  EXPECT_EQ(shared.list.size(), 2u);
  tasks.detach();
  tasks.at(1).is_left_out = true;
  EXPECT_FALSE(shared.list[1].is_left_out);
  EXPECT_EQ(tasks.made().size(), 51u);
}

TEST(TaskList, ACopyMakesTheSameTasks) {
  const JobSpec spec = spec_of(100);
  TaskList tasks(spec);
  tasks.at(10).is_counted = true;
  const TaskList copy = tasks;
  tasks.at(20);
  EXPECT_EQ(copy.made().size(), 11u);
  EXPECT_EQ(copy[30].ledger.split(), (ByteRange{300, 310}));
  EXPECT_TRUE(copy[10].is_counted);
  EXPECT_EQ(tasks[30].ledger.split(), (ByteRange{300, 310}));
}

TEST(Zeros, AreReadBeforeTheyAreWritten) {
  Zeros<float> values(1'000'000);
  EXPECT_EQ(values[999'999], 0);
  values[7] = 3;
  EXPECT_EQ(std::ranges::count_if(values, [](float value) { return value != 0; }), 1);
  EXPECT_TRUE(std::span<const float>(Zeros<float>()).empty());
}

class WaitingTasks : public testing::TestWithParam<std::string> {};

// Whatever a policy or a forecast looks at: memory is for what has begun, and for what may begin next.
TEST_P(WaitingTasks, AreNotMadeBeforeTheirTurn) {
  constexpr std::uint64_t kTasks = 2000, kSplit = 1000;
  constexpr std::uint32_t kSlots = 4;
  World world;
  world.register_node("a", kSlots);
  JobSpec spec = World::quiet_spec();
  spec.policy = GetParam();
  spec.deadline = 1h;
  const JobId job = world.submit(kTasks * kSplit, kSplit, spec);
  for (std::uint32_t index = 0; index < kSlots; ++index) world.start_attempt({{job, index}, 0});
  for (int step = 0; step < 20; ++step) {
    world.pass(1s);
    for (std::uint32_t index = 0; index < kSlots; ++index)
      world.heartbeat({{job, index}, 0}, index * kSplit + 10 * (step + 1));
  }
  forecast(world.scheduler(), job, world.now());
  EXPECT_LE(world.cluster().find_job(job)->tasks.made().size(), 2 * kSlots);
}

INSTANTIATE_TEST_SUITE_P(OfEveryPolicy, WaitingTasks, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const PolicyDescription& policy : policies()) names.emplace_back(policy.name);
                           return names;
                         }()),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::ranges::replace(name, '-', '_');
                           std::ranges::replace(name, '+', 'p');
                           return name;
                         });

}  // namespace
}  // namespace ontime::scheduler::test
