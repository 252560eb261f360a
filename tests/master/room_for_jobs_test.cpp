// What jobs that have not ended may take of the master's memory, all together and those of one owner.

#include "master/submissions/room_for_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "master/base/settings.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::master {
namespace {

using scheduler::JobSpec;
using scheduler::test::World;
using testing::HasSubstr;

JobSpec of(const std::string& owner) {
  JobSpec spec = World::quiet_spec();
  spec.owner = owner;
  return spec;
}

TEST(RoomForJobs, OneOwnerFillsHisShareAndNotThatOfOthers) {
  World world;
  for (int i = 0; i < 100; ++i) world.submit(10, 10, of("mallory"));
  const auto refused = RoomForJobs(world.cluster(), 0.01).reserve(of("mallory"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("With this job mallory would hold 101 jobs that have not ended, and may hold 100"));
  EXPECT_TRUE(RoomForJobs(world.cluster(), 0.01).reserve(of("alice")));
  EXPECT_TRUE(RoomForJobs(world.cluster(), 1).reserve(of("mallory")));
}

TEST(RoomForJobs, WhatTheJournalCannotHoldIsRefused) {
  World world;
  std::uint64_t asked = 0;
  std::uint64_t most = 1u << 30;
  RoomForJobs room(world.cluster(), 1, [&](std::uint64_t bytes) {
    asked = bytes;
    return bytes <= most ? Status() : failed("the journal is full");
  });
  EXPECT_TRUE(room.reserve(of("")));
  EXPECT_GT(asked, 0u);
  most = asked + 500;
  JobSpec large = of("");
  large.parameters["text"] = std::string(1000, 'x');
  const auto refused = room.reserve(large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the journal is full");
}

// Many that are accepted one after another would otherwise come to write more than there is room for.
TEST(RoomForJobs, WhatJobsAreStillToWriteIntoTheJournalCounts) {
  World world;
  std::uint64_t asked = 0;
  RoomForJobs room(world.cluster(), 1, [&](std::uint64_t bytes) {
    asked = bytes;
    return Status();
  });
  EXPECT_TRUE(room.reserve(of("")));
  const std::uint64_t alone = asked;
  {
    const auto on_its_way = room.reserve(of(""));
    EXPECT_TRUE(room.reserve(of("")));
    EXPECT_EQ(asked, 2 * alone);
  }
  const JobId job = world.submit(100, 1, of(""));
  EXPECT_TRUE(room.reserve(of("")));
  EXPECT_GE(asked, alone + 100 * 100u);
  world.kill(job);
  EXPECT_TRUE(room.reserve(of("")));
  EXPECT_EQ(asked, alone);
}

TEST(RoomForJobs, ParametersCountWhateverTheirPolicyAndApplication) {
  World world;
  JobSpec large = of("mallory");
  large.parameters["a"] = std::string(1 << 20, 'x');
  large.policy_parameters["b"] = std::string(1 << 20, 'x');
  world.submit(10, 10, large);
  const auto refused = RoomForJobs(world.cluster(), 0.01).reserve(large);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("of parameters of jobs"));
  EXPECT_TRUE(RoomForJobs(world.cluster(), 1).reserve(large));
}

TEST(RoomForJobs, OneJobOfTheMostTasksFitsAndNoOther) {
  World world;
  JobSpec large = of("alice");
  large.inputs = {{"/input", kTasksMax, "1", Codec::Plain}};
  large.split_bytes = 1;
  RoomForJobs room(world.cluster(), 1);
  const auto reserved = room.reserve(large);
  ASSERT_TRUE(reserved);
  const auto refused = room.reserve(large);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("would hold 20000000 tasks of jobs that have not ended, and may hold 12000000"));
}

TEST(RoomForJobs, JobsWithoutAnOwnerShareAll) {
  World world;
  for (int i = 0; i < 100; ++i) world.submit(10, 10, of(""));
  EXPECT_TRUE(RoomForJobs(world.cluster(), 0.01).reserve(of("")));
}

TEST(RoomForJobs, JobsThatHaveEndedTakeNone) {
  World world;
  for (int i = 0; i < 100; ++i) world.kill(world.submit(10, 10, of("mallory")));
  EXPECT_TRUE(RoomForJobs(world.cluster(), 0.01).reserve(of("mallory")));
}

// While their claims are awaited, for instance from a slow store.
TEST(RoomForJobs, JobsOnTheirWayInTakeTheirs) {
  World world;
  RoomForJobs room(world.cluster(), 0.01);
  std::vector<RoomForJobs::Reservation> on_their_way;
  for (int i = 0; i < 100; ++i) {
    auto reserved = room.reserve(of("mallory"));
    ASSERT_TRUE(reserved);
    on_their_way.push_back(*reserved);
  }
  EXPECT_FALSE(room.reserve(of("mallory")));
  EXPECT_TRUE(room.reserve(of("alice")));
  on_their_way.pop_back();
  EXPECT_TRUE(room.reserve(of("mallory"))) << "it was given up";
  world.submit(10, 10, of("mallory"));
  EXPECT_FALSE(room.reserve(of("mallory"))) << "it was accepted";
}

TEST(RoomForJobs, MayEndBeforeTheJobsOnTheirWayIn) {
  World world;
  auto room = std::make_unique<RoomForJobs>(world.cluster(), 1);
  const auto reserved = room->reserve(of("alice"));
  room.reset();
  EXPECT_TRUE(reserved);
}

}  // namespace
}  // namespace ontime::master
