// What a segment costs besides its bytes, from the times of its runner.
#include "scheduler/math/segment_costs.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "common/base/median.h"
#include "scheduler/math/durations.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler::math {
namespace {

SegmentTimes taken(double age, double first, double last, std::uint64_t timed_bytes, std::uint32_t moves) {
  return {from_seconds(age), from_seconds(first), from_seconds(last), timed_bytes, moves};
}

// A command that needs 8 s to start, takes buffers of 100 bytes each second, and works a second on the last.
TEST(SegmentCosts, OfASealedSegmentStartAndLagAreWhatItsBytesDoNotExplain) {
  const Mapped mapped = mapped_of_sealed(taken(13, 8, 12, 400, 5), 500);
  EXPECT_DOUBLE_EQ(mapped.seconds, 5);
  EXPECT_DOUBLE_EQ(mapped.fixed, 8);
  EXPECT_DOUBLE_EQ(mapped.rate(), 100);
}

// 100 KiB at 10 KiB/s through a pipe of 64 KiB, behind a start of 8 s.
TEST(SegmentCosts, AStartIsLearntFromBuffersOfAnySizes) {
  const Mapped rest_is_short = mapped_of_sealed(taken(18, 8, 14.4, 64 << 10, 2), 100 << 10);
  EXPECT_NEAR(rest_is_short.fixed, 8, 1e-6);
  EXPECT_NEAR(rest_is_short.rate(), 10 << 10, 1e-6);
  const Mapped first_is_short = mapped_of_sealed(taken(18, 8, 11.6, 36 << 10, 2), 100 << 10);
  EXPECT_NEAR(first_is_short.fixed, 8, 1e-6);
  EXPECT_NEAR(mapped_so_far(taken(14.4, 8, 14.4, 64 << 10, 2), 100 << 10, 8).rate(), 10 << 10, 1e-6);
}

TEST(SegmentCosts, WhereAllIsTakenAtOnceAllOfItIsFixed) {
  const Mapped once = mapped_of_sealed(taken(13, 8, 8, 0, 1), 500);
  EXPECT_DOUBLE_EQ(once.fixed, 13);
  EXPECT_EQ(once.rate(), 0);
  EXPECT_DOUBLE_EQ(mapped_of_sealed(taken(13, 8, 8.01, 400, 2), 500).fixed, 13) << "sort reads all, then works";
}

TEST(SegmentCosts, OneBufferIsNoPace) {
  EXPECT_EQ(mapped_so_far(taken(8.5, 8, 8, 0, 1), 100, kInfinity).rate(), 0);
  EXPECT_EQ(mapped_so_far(taken(8, 0, 0, 0, 0), 0, 8).rate(), 0);
}

TEST(SegmentCosts, TheStartIsNoPartOfThePace) {
  const Mapped mapped = mapped_so_far(taken(10.2, 8, 10, 200, 3), 300, kInfinity);
  EXPECT_DOUBLE_EQ(mapped.rate(), 100);
  EXPECT_DOUBLE_EQ(mapped.fixed, 8);
}

TEST(SegmentCosts, WhoTakesNothingForLongSlowsDown) {
  const Mapped standing = mapped_so_far(taken(20, 8, 10, 200, 3), 300, kInfinity);
  EXPECT_DOUBLE_EQ(standing.rate(), 200.0 / 8);
}

TEST(SegmentCosts, AFirstRecordThatTookLongIsAPaceWhereStartsAreShort) {
  EXPECT_DOUBLE_EQ(mapped_so_far(taken(11, 10, 10, 0, 1), 100, 0).rate(), 10);
  EXPECT_EQ(mapped_so_far(taken(11, 10, 10, 0, 1), 100, 9).rate(), 0) << "it may be the start";
}

TEST(SegmentCosts, AStartThatLastsLongerThanUsualMayLastAsLongAgain) {
  EXPECT_DOUBLE_EQ(rest_of_start(2, 8), 6);
  EXPECT_DOUBLE_EQ(rest_of_start(20, 8), 20);
  EXPECT_NEAR(rest_of_start(8, 8), 1.2, 1e-9);
  EXPECT_EQ(rest_of_start(0, 0), 0);
}

TEST(MeanOfLeast, IsTheMeanOfOneAndTheLeastOfMany) {
  const double values[] = {3, 1, 2};
  EXPECT_DOUBLE_EQ(mean_of_least(values, 1), 2);
  EXPECT_DOUBLE_EQ(mean_of_least(values, 2), (5 * 1 + 3 * 2 + 1 * 3) / 9.0);
  EXPECT_NEAR(mean_of_least(values, 100), 1, 1e-9);
}

TEST(DurationSample, KnowsTheFixedPartByHowTheSegmentBegan) {
  DurationSample sample;
  EXPECT_FALSE(sample.usual_fixed(Beginning::Cold));
  for (const double seconds : {8.0, 7.0, 30.0}) sample.add_fixed(Beginning::Cold, seconds);
  EXPECT_EQ(sample.usual_fixed(Beginning::Cold), 8);
  EXPECT_EQ(sample.usual_fixed(Beginning::Warm), 8) << "nothing says that warm ones are quicker";
  sample.add_fixed(Beginning::Warm, 0.1);
  EXPECT_EQ(sample.usual_fixed(Beginning::Warm), 0.1);
  EXPECT_EQ(sample.usual_fixed(Beginning::Next), 8);
}

// It is not sought anew where what comes and what goes leave it alone.
TEST(DurationSample, TheUsualFixedPartIsTheMedianOfTheLatest) {
  DurationSample sample;
  std::mt19937 chance(7);
  for (int i = 0; i < 2000; ++i) {
    sample.add_fixed(Beginning::Next, std::uniform_int_distribution(1, i < 1000 ? 1000 : 5)(chance));
    const auto seen = sample.fixed(Beginning::Next);
    ASSERT_EQ(sample.usual_fixed(Beginning::Next), median_of({seen.begin(), seen.end()})) << i;
  }
}

TEST(DurationSample, AFirstByteIsLateWellBehindTheLatest) {
  DurationSample sample;
  EXPECT_FALSE(sample.slow_first());
  for (int i = 0; i < 4; ++i) sample.add_first(10);
  EXPECT_DOUBLE_EQ(*sample.slow_first(), 15);
  sample.add_first(10);
  EXPECT_DOUBLE_EQ(*sample.slow_first(), 15) << "many that are alike";
  for (const double seconds : {2.0, 50.0, 50.0}) sample.add_first(seconds);
  EXPECT_GT(*sample.slow_first(), 25) << "they differ much";
}

TEST(Durations, AProfileOfOtherBytesGivesItsShapeAndTheJobItsLevel) {
  DurationSample profile;
  DurationSample job;
  for (int i = 0; i < 20; ++i) profile.add_finished(1 + 0.01 * i);
  DurationHints hints;
  hints.tail = TailRule::Auto;
  const double before = choose_durations(&profile, job, {}, hints, 1).median();
  const std::vector<double> alike(4, 1.1);
  EXPECT_DOUBLE_EQ(choose_durations(&profile, job, alike, hints, 1).median(), before) << "chance";
  const std::vector<double> slow(4, 11);
  EXPECT_NEAR(choose_durations(&profile, job, slow, hints, 1).median(), 10 * before, 0.5 * before);
  for (int i = 0; i < 4; ++i) job.add_finished(11);
  EXPECT_NEAR(choose_durations(&profile, job, {}, hints, 1).median(), 10 * before, 0.5 * before);
}

TEST(Durations, AProfileMovesToTheLevelOfALaterJobAndKeepsItsShape) {
  DurationSample quick;
  DurationSample slow;
  for (int i = 0; i < 20; ++i) quick.add_finished(1 + 0.01 * i);
  for (int i = 0; i < 20; ++i) slow.add_finished(10 + 0.1 * i);
  quick.add_censored(2);
  DurationSample profile = quick;
  profile.follow(slow);
  ASSERT_EQ(profile.finished().size(), 40u);
  EXPECT_NEAR(profile.finished()[19], slow.finished()[19], 0.1);
  EXPECT_NEAR(profile.censored()[0], 20, 0.2);
  profile.follow(quick);
  EXPECT_NEAR(profile.finished()[0], 1, 0.01);
  EXPECT_NEAR(profile.usual_finished(), 1.1, 0.02);
}

TEST(Durations, AProfileStaysAsItIsWhereALaterJobDiffersByChance) {
  DurationSample profile;
  DurationSample later;
  for (int i = 0; i < 20; ++i) profile.add_finished(1 + i);
  for (int i = 0; i < 4; ++i) later.add_finished(20);
  profile.follow(later);
  EXPECT_EQ(profile.finished()[0], 1);
  EXPECT_EQ(profile.finished()[23], 20);
}

// Kept while one value goes for another, and looked for anew otherwise.
TEST(SegmentCosts, TheUsualTimesAreTheMediansOfWhatIsKept) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> value(1, 40);  // many are equal
  DurationSample sample;
  for (int i = 0; i < 3000; ++i) {
    sample.add_finished(value(random));
    sample.add_fixed(Beginning::Cold, value(random));
    if (i % 7 == 0) sample.add_censored(1);
    const auto finished = sample.finished();
    ASSERT_EQ(sample.usual_finished(), median_of({finished.begin(), finished.end()})) << i;
    const auto fixed = sample.fixed(Beginning::Cold);
    ASSERT_EQ(sample.usual_fixed(Beginning::Cold), median_of({fixed.begin(), fixed.end()})) << i;
  }
}

}  // namespace
}  // namespace ontime::scheduler::math
