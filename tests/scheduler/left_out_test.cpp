// Inputs that turn out to be corrupt, gone or unreadable, and jobs that leave such out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

JobSpec two_files(const std::string& skipped) {
  JobSpec spec = World::quiet_spec();
  spec.split_bytes = 10;
  spec.inputs = {{"/in/good", 10, "v"}, {"/in/bad", 20, "v"}};
  spec.skip.kinds = skipped;
  return spec;
}

TEST(LeftOut, WhatWasMappedOfACorruptInputThatIsLeftOutDoesNotCount) {
  World world;
  world.register_node("a", 3);
  const JobId job = world.submit(two_files("corrupt"));
  const auto launches = world.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 3u);
  world.seal_all(launches[1].attempt);  // of the bad one
  world.fail(launches[2].attempt, "broken", FailureKind::Data);
  EXPECT_EQ(world.job(job).sealed_records, 0u);
  EXPECT_EQ(world.job(job).counters.at({"group", "name"}), 0u);
  world.seal_all(launches[0].attempt);
  world.restart();
  EXPECT_EQ(world.job(job).state, JobState::Committing);
  const auto commits = world.take<action::CommitOutput>();
  ASSERT_FALSE(commits.empty());
  EXPECT_EQ(commits.back().left_out, (std::map<std::uint32_t, std::string>{{1, "broken"}}));
  world.commit(job);
  EXPECT_EQ(world.job(job).state, JobState::Succeeded);
  EXPECT_EQ(world.job(job).sealed_records, 10u);
  EXPECT_EQ(world.job(job).counters.at({"group", "name"}), 1u);
}

TEST(LeftOut, ACorruptInputIsMappedByNobodyAnyMore) {
  World world;
  world.register_node("a", 2);
  JobSpec spec = two_files("corrupt");
  spec.inputs[1].size = 10;
  const JobId job = world.submit(spec);
  const auto launches = world.take<action::LaunchAttempt>();
  world.fail(launches.back().attempt, "broken", FailureKind::Data);
  world.pass(1min);
  EXPECT_TRUE(world.take<action::LaunchAttempt>().empty());
  EXPECT_EQ(world.job(job).tasks_done, 1u);
}

TEST(LeftOut, AllTasksOfACorruptInputEndAtOnce) {
  World world;
  world.register_node("a", 3);
  JobSpec spec = two_files("corrupt");
  spec.inputs[1].size = 60;
  spec.inputs.push_back({"/in/other", 10, "v"});
  const JobId job = world.submit(spec);
  const auto launches = world.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 3u);
  world.fail(launches[2].attempt, "broken", FailureKind::Data);
  EXPECT_EQ(world.attempt(launches[1].attempt).state, AttemptState::Killed);
  EXPECT_EQ(world.job(job).tasks_done, 6u);
  const auto later = world.take<action::LaunchAttempt>();
  ASSERT_EQ(later.size(), 1u);  // of what lies behind it
  EXPECT_EQ(later[0].attempt.task.index, 7u);
  world.seal_all(launches[0].attempt);
  world.restart();
  EXPECT_EQ(world.job(job).tasks_done, 7u);
  world.seal_all(later[0].attempt);
  EXPECT_EQ(world.job(job).state, JobState::Committing);
  EXPECT_EQ(world.job(job).sealed_records, 20u);
}

TEST(LeftOut, AJobWhoseInputsAreAllCorruptFails) {
  World world;
  world.register_node("a", 3);
  const JobId job = world.submit(two_files("corrupt"));
  for (const auto& launch : world.take<action::LaunchAttempt>()) {
    if (world.cluster().find_live(launch.attempt) != nullptr) world.fail(launch.attempt, "broken", FailureKind::Data);
  }
  EXPECT_EQ(world.job(job).state, JobState::Failed);
  EXPECT_NE(world.job(job).message.find("each input was to be left out"), std::string::npos) << world.job(job).message;
}

TEST(LeftOut, AnInputThatIsGoneForEveryNodeIsLeftOutIfTheJobSaysSo) {
  for (const FailureKind kind : {FailureKind::Vanished, FailureKind::Unreadable}) {
    World world;
    world.register_node("a", 3);
    world.register_node("b", 3);
    const JobId job = world.submit(two_files(kind == FailureKind::Vanished ? "vanished" : "corrupt,unreadable"));
    for (int node = 0; node < 2; ++node) {
      const auto launches = world.take<action::LaunchAttempt>();
      ASSERT_FALSE(launches.empty());
      EXPECT_TRUE(world.job(job).left_out.empty()) << "the other node may have it";
      for (const auto& launch : launches) {
        if (launch.attempt.task.index == 0) world.seal_all(launch.attempt);
        if (launch.attempt.task.index == 1) world.fail(launch.attempt, "not there", kind);
      }
    }
    EXPECT_EQ(world.job(job).left_out, (std::map<std::uint32_t, std::string>{{1, "not there"}}));
    EXPECT_EQ(world.job(job).state, JobState::Committing);
    EXPECT_EQ(world.job(job).sealed_records, 10u);
  }
}

TEST(LeftOut, AnInputThatOnlyOneNodeDoesNotFindIsMappedByAnother) {
  World world;
  world.register_node("a", 3);
  world.register_node("b", 3);
  const JobId job = world.submit(two_files("vanished"));
  for (int round = 0; round < 2; ++round) {
    for (const auto& launch : world.take<action::LaunchAttempt>()) {
      if (round == 0 && launch.attempt.task.index == 1)
        world.fail(launch.attempt, "not there", FailureKind::Vanished);
      else
        world.seal_all(launch.attempt);
    }
  }
  EXPECT_TRUE(world.job(job).left_out.empty());
  EXPECT_EQ(world.job(job).state, JobState::Committing);
}

TEST(LeftOut, AnInputThatIsGoneFailsAJobThatDoesNotSkipIt) {
  World world;
  world.register_node("a", 3);
  const JobId job = world.submit(two_files("corrupt,unreadable"));
  for (int i = 0; i < 40 && !is_final(world.job(job).state); ++i) {
    for (const auto& launch : world.take<action::LaunchAttempt>()) {
      if (launch.attempt.task.index > 0 && world.cluster().find_live(launch.attempt) != nullptr)
        world.fail(launch.attempt, "not there", FailureKind::Vanished);
    }
    world.pass(1s);
  }
  EXPECT_EQ(world.job(job).state, JobState::Failed);
  EXPECT_NE(world.job(job).message.find("failed 4 times"), std::string::npos) << world.job(job).message;
}

TEST(LeftOut, AnotherKindThatIsSkippedForgivesNoCorruptInput) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(two_files("vanished"));
  world.fail(world.take_launch(), "broken", FailureKind::Data);
  EXPECT_EQ(world.job(job).state, JobState::Failed);
}

}  // namespace
}  // namespace ontime::scheduler
