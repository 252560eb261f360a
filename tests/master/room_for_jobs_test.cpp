// What jobs that have not ended may take of the master's memory, all together and those of one owner.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "master/submission.h"
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
  const Status refused = check_room(world.cluster(), of("mallory"), 0.01);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("With this job mallory would hold 101 jobs that have not ended, and may hold 100"));
  EXPECT_TRUE(check_room(world.cluster(), of("alice"), 0.01));
  EXPECT_TRUE(check_room(world.cluster(), of("mallory"), 1));
}

TEST(RoomForJobs, ParametersCountWhateverTheirPolicyAndApplication) {
  World world;
  JobSpec large = of("mallory");
  large.parameters["a"] = std::string(1 << 20, 'x');
  large.policy_parameters["b"] = std::string(1 << 20, 'x');
  world.submit(10, 10, large);
  const Status refused = check_room(world.cluster(), large, 0.01);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("of parameters of jobs"));
  EXPECT_TRUE(check_room(world.cluster(), large, 1));
}

TEST(RoomForJobs, JobsWithoutAnOwnerShareAll) {
  World world;
  for (int i = 0; i < 100; ++i) world.submit(10, 10, of(""));
  EXPECT_TRUE(check_room(world.cluster(), of(""), 0.01));
}

TEST(RoomForJobs, JobsThatHaveEndedTakeNone) {
  World world;
  for (int i = 0; i < 100; ++i) world.kill(world.submit(10, 10, of("mallory")));
  EXPECT_TRUE(check_room(world.cluster(), of("mallory"), 0.01));
}

}  // namespace
}  // namespace ontime::master
