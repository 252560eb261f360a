// split-resume divides what waits for an attempt: before the first launch, and again when time gets short.
#include <gtest/gtest.h>

#include <vector>

#include "tests/policy/split_resume_world.h"

namespace ontime::scheduler {
namespace {

using namespace test;

TEST(SplitResume, DividesAtTheStartWhatEvenAPerfectRunWouldNotDoInTime) {
  World world;
  world.register_node("a", 10);
  world.submit(2 * kSplit, kSplit, split_resume_spec(84s));
  const std::vector<AttemptId> attempts = launched(world);
  ASSERT_EQ(attempts.size(), 4u);
  EXPECT_EQ(world.attempt(attempts[0]).held, (ByteRange{0, kSplit / 2}));
  EXPECT_EQ(world.attempt(attempts[1]).held, (ByteRange{kSplit / 2, kSplit}));
}

// More than the 32 pieces that it makes otherwise.
TEST(SplitResume, DividesAtTheStartIntoAsManyPiecesAsMustBeIfSlotsAreFreeForAll) {
  for (const std::uint32_t slots : {60u, 30u}) {
    World world;
    world.register_node("a", slots);
    world.submit(kSplit, kSplit, split_resume_spec(5s));
    EXPECT_EQ(launched(world).size(), slots == 60 ? 42u : 1u) << slots;
  }
}

TEST(SplitResume, DividesAtTheStartWhileSlotsAreFreeAndTheOddsArePoor) {
  World world;
  world.register_node("a", 8);
  world.submit(2 * kSplit, kSplit, split_resume_spec(150s, {{"start", "0.9"}}));
  EXPECT_EQ(launched(world).size(), 6u);
}

TEST(SplitResume, StartsUndividedWithoutSlotsToSpare) {
  World world;
  world.register_node("a", 1);
  world.submit(2 * kSplit, kSplit, split_resume_spec(150s, {{"start", "0.9"}}));
  EXPECT_EQ(world.attempt(world.take_launch()).held, (ByteRange{0, kSplit}));
}

// All slots are taken. What fits into the time left at first waits until it does not.
TEST(SplitResume, DividesPiecesThatWaitAgainWhenTheyBecomeTooLong) {
  World world;
  world.register_node("a", 16);
  const std::vector<AttemptId> originals = start_all(world, 16, split_resume_spec(130s));
  const JobId second = world.submit(kSplit, kSplit, split_resume_spec(150s));
  const auto pieces = [&world, second] { return world.job(second).tasks[0].ledger.segments().size(); };
  run(world, originals, 100'000, 50);
  EXPECT_EQ(pieces(), 2u);
  run(world, originals, 100'000, 50);
  EXPECT_EQ(pieces(), 4u);
  run(world, originals, 100'000, 20);
  EXPECT_EQ(pieces(), 8u);
  world.seal_all(originals[0]);
  const std::vector<AttemptId> first = launched(world);
  ASSERT_EQ(first.size(), 1u);
  world.start_attempt(first[0]);
  run(world, first, 100'000, 14);  // the others of the task that has begun
  EXPECT_EQ(pieces(), 15u);
}

TEST(SplitResume, LeavesPiecesAsTheyAreWhoseLaunchesWouldTakeMoreThanHalfOfTheirWork) {
  World world;
  world.register_node("a", 16);
  const std::vector<AttemptId> originals = start_all(world, 16, split_resume_spec(130s));
  const JobId second = world.submit(kSplit, kSplit, split_resume_spec(150s, {{"t_avg", "20s"}}));
  run(world, originals, 100'000, 60);  // two launches for 120 s
  EXPECT_EQ(world.job(second).tasks[0].ledger.segments().size(), 2u);
  run(world, originals, 100'000, 40);  // two for 60 s
  EXPECT_EQ(world.job(second).tasks[0].ledger.segments().size(), 2u);
}

TEST(SplitResume, LeavesPiecesAsTheyAreThatAllSlotsTogetherCannotDoInTime) {
  OneTask one(split_resume_spec(130s), 1);
  auto& [world, job, original] = one;
  const JobId second = world.submit(kSplit, kSplit, split_resume_spec(150s));
  run(world, {original}, 100'000, 100);
  EXPECT_EQ(world.job(second).tasks[0].ledger.segments().size(), 2u);
}

}  // namespace
}  // namespace ontime::scheduler
