#include "lab/simulator/motion.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <memory>

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

TEST(Motion, StandsWhileItsSegmentStartsAndHasClaimedARecordThen) {
  Motion motion({0, 100}, 10, {.reads_ahead = 0, .records = {}, .is_plain = false});
  motion.begin(after_start(1), from_seconds(3));
  motion.set_speed(10, after_start(1));
  EXPECT_EQ(motion.place(after_start(4)), 0);
  EXPECT_EQ(motion.border_at(after_start(1)), after_start(14));
  EXPECT_EQ(motion.next_look(after_start(3.9)), 10u);
  motion.set_speed(20, after_start(3));
  EXPECT_EQ(motion.border_at(after_start(3)), after_start(9));
  EXPECT_EQ(motion.times(after_start(4.9)).moves, 1u);
  EXPECT_EQ(motion.times(after_start(4.9)).last, from_seconds(3.5));
  motion.set_speed(1, after_start(4.9));
  EXPECT_EQ(motion.times(after_start(6)).last, from_seconds(3.5)) << "taken before it became slow";
  EXPECT_EQ(motion.cut(0, true, after_start(6)), 20u);
}

TEST(Motion, TellsWhatItHasTakenAndGivesBackWhatItHasNot) {
  Motion motion({0, 100}, 10, {.reads_ahead = 25, .records = {}, .is_plain = false});
  motion.begin(after_start(0), from_seconds(1));
  motion.set_speed(10, after_start(0));
  EXPECT_EQ(motion.offset(after_start(0.9)), 0u);
  EXPECT_EQ(motion.offset(after_start(1)), 20u);
  EXPECT_EQ(motion.times(after_start(1.2)).timed_bytes, 0u);
  EXPECT_EQ(motion.times(after_start(1.2)).moves, 1u);
  EXPECT_EQ(motion.offset(after_start(2.6)), 40u);
  EXPECT_EQ(motion.times(after_start(2.6)).moves, 3u);
  EXPECT_EQ(motion.times(after_start(2.6)).last, from_seconds(2.5));
  EXPECT_EQ(motion.times(after_start(2.6)).timed_bytes, 15u) << "in 1.5 s";
  EXPECT_EQ(motion.cut(10, true, after_start(2.6)), 50u) << "of the record that it has begun to take it keeps all";
  EXPECT_EQ(motion.border_at(after_start(2.6)), after_start(6));
  EXPECT_EQ(motion.offset(after_start(4)), 50u) << "no further than its segment";
  motion.seal(after_start(6));
  EXPECT_TRUE(motion.is_over());
}

// Of attempts in which nothing but bytes takes time, the times say what offset and age say.
TEST(Motion, TimesOfPlainSegmentsAreTheirAge) {
  Motion motion({0, 100}, 1);
  EXPECT_FALSE(motion.times(after_start(1)).is_known());
  motion.begin(after_start(1), Duration(0));
  motion.set_speed(10, after_start(1));
  const scheduler::SegmentTimes times = motion.times(after_start(2.5));
  EXPECT_EQ(times.age, from_seconds(1.5));
  EXPECT_EQ(times.last, times.age);
  EXPECT_EQ(times.first, Duration(0));
  EXPECT_EQ(times.timed_bytes, 15u);
  EXPECT_EQ(times.moves, 15u);
}

TEST(Motion, TakesARecordWhenItHasMappedIt) {
  Motion motion({0, 100}, 10);
  motion.begin(after_start(1), Duration(0));
  motion.set_speed(10, after_start(1));
  EXPECT_EQ(motion.times(after_start(1.5)).moves, 0u);
  const scheduler::SegmentTimes times = motion.times(after_start(3.5));
  EXPECT_EQ(
      times,
      (scheduler::SegmentTimes{
          .age = from_seconds(2.5), .first = from_seconds(1), .last = from_seconds(2), .timed_bytes = 10, .moves = 2}));
}

TEST(Motion, WhenItsFirstRecordWasTakenDoesNotChangeWithItsSpeed) {
  Motion motion({0, 100}, 10);
  motion.begin(after_start(1), Duration(0));
  motion.set_speed(10, after_start(1));
  motion.set_speed(0, after_start(3.5));
  EXPECT_EQ(motion.times(after_start(60)).first, from_seconds(1));
  motion.set_speed(1, after_start(70));
  EXPECT_EQ(motion.times(after_start(80)).first, from_seconds(1));
}

TEST(RecordTimes, LeadFromPlacesToWorkAndBack) {
  const RecordTimes times(10, 2, {1, 4, 0.5});
  EXPECT_EQ(times.work_of(20), 20);
  EXPECT_EQ(times.work_of(30), 30);
  EXPECT_EQ(times.work_of(35), 50);
  EXPECT_EQ(times.work_of(50), 75);
  for (double place = 20; place <= 50; place += 0.25) EXPECT_NEAR(times.place_of(times.work_of(place)), place, 1e-9);
  Motion motion({20, 50}, 10, {.reads_ahead = 0, .records = std::make_shared<RecordTimes>(times), .is_plain = false});
  motion.begin(after_start(0), Duration(0));
  motion.set_speed(10, after_start(0));
  EXPECT_EQ(motion.offset(after_start(1)), 30u);
  EXPECT_EQ(motion.offset(after_start(4.9)), 30u);
  EXPECT_EQ(motion.offset(after_start(5)), 40u);
  EXPECT_EQ(motion.border_at(after_start(0)), after_start(5.5));
  EXPECT_EQ(motion.mapped(after_start(3)), 15);
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
