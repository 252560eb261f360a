#include "lab/simulator/motion.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>

#include "worker/runner/cut_points.h"

namespace ontime::lab {
namespace {

TimePoint after_start(double s) { return TimePoint(from_seconds(s)); }

TEST(Motion, ReportsWholeRecordsAndReachesItsEndWhenItShould) {
  Motion motion({100, 1100}, 10);
  EXPECT_EQ(motion.offset(after_start(5)), 100u);
  motion.set_speed(100, after_start(5));
  EXPECT_EQ(motion.offset(after_start(5.19)), 110u);
  EXPECT_EQ(motion.border_at(after_start(5)), after_start(15));
  motion.set_speed(50, after_start(10));
  EXPECT_EQ(motion.border_at(after_start(10)), after_start(20));
  EXPECT_EQ(motion.offset(after_start(30)), 1100u);
}

// The record that it begins in is another one's.
TEST(Motion, CountsTheRecordsThatBeginInItsRange) {
  Motion motion({95, 206}, 10);
  motion.set_speed(10, after_start(0));
  EXPECT_EQ(motion.records(after_start(0.9)), 0u);
  EXPECT_EQ(motion.offset(after_start(0.9)), 95u);
  EXPECT_EQ(motion.offset(after_start(1.1)), 110u);
  EXPECT_EQ(motion.records(after_start(1.1)), 1u);
  EXPECT_EQ(motion.border_at(after_start(2)), after_start(11)) << "the last one ends beyond its range";
  EXPECT_EQ(motion.offset(after_start(10.8)), 200u);
  EXPECT_EQ(motion.records(after_start(30)), 11u);
}

TEST(Motion, AnswersACutAheadWithTheNextRecordAndOneBehindWithItsPosition) {
  Motion motion({0, 1000}, 10);
  motion.set_speed(100, after_start(0));
  EXPECT_EQ(motion.cut(501, false, after_start(1.01)), 510u);
  EXPECT_EQ(motion.segment(), (ByteRange{0, 510}));
  EXPECT_EQ(motion.cut(20, true, after_start(1.01)), 110u);
  EXPECT_EQ(motion.segment(), (ByteRange{0, 110}));
  EXPECT_EQ(motion.cut(2000, true, after_start(1.01)), 110u);
  motion.seal(after_start(1.1));
  EXPECT_TRUE(motion.is_over());
}

TEST(Motion, GivesEverythingBackWhenCutBeforeItsFirstRecord) {
  Motion motion({30, 1000}, 10);
  EXPECT_EQ(motion.cut(0, true, after_start(1)), 30u);
  EXPECT_TRUE(motion.is_over());
}

// Whatever is asked, it does what the rule of the real runner does.
void compare_with_runner() {
  const std::uint64_t record = *rc::gen::inRange<std::uint64_t>(1, 40);
  const std::uint64_t begin = record * *rc::gen::inRange<std::uint64_t>(0, 10);
  const std::uint64_t end = begin + record * *rc::gen::inRange<std::uint64_t>(1, 60);
  Motion motion({begin, end}, record);
  worker::CutPoints points({begin, end});
  motion.set_speed(static_cast<double>(record), after_start(0));  // a record a second
  bool has_mapped = false;
  for (int second = 0; second < 80 && !points.is_over(); ++second) {
    const TimePoint now = after_start(second);
    if (motion.border_at(now) <= now) {
      RC_ASSERT(motion.segment() == points.segment());
      motion.seal(now);
      points.on_sealed();
      has_mapped = false;
      continue;
    }
    const std::uint64_t position = motion.offset(now);
    has_mapped = position > points.segment().begin;
    if (*rc::gen::inRange(0, 3) == 0) {
      const std::uint64_t wanted = *rc::gen::inRange<std::uint64_t>(0, end + 2 * record);
      const bool release = *rc::gen::arbitrary<bool>();
      const std::uint64_t boundary = wanted > position ? (wanted + record - 1) / record * record : wanted;
      RC_ASSERT(motion.cut(wanted, release, now) == points.cut(position, has_mapped, boundary, release));
    }
    RC_ASSERT(motion.is_over() == points.is_over());
    if (!points.is_over()) RC_ASSERT(motion.segment() == points.segment());
  }
}

TEST(Motion, DoesWhatARealRunnerDoes) { EXPECT_TRUE(rc::check(compare_with_runner)); }

}  // namespace
}  // namespace ontime::lab
