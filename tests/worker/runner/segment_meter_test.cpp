// What a runner measures of its segments, and how it tells its worker.
#include "worker/runner/segment_meter.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/worker/runner/timed_run.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;
using namespace test;

SegmentMeter::TimePoint at(Duration time) { return SegmentMeter::TimePoint(time); }

TEST(SegmentMeter, TellsTheStartFromThePace) {
  SegmentMeter meter;
  meter.begin(100, at(10s));
  EXPECT_EQ(meter.marks(), (SegmentMarks{100, 10s, {}, {}, 0, 0}));
  meter.first_record_at(107);
  EXPECT_EQ(meter.taken(), 107u);
  meter.take(150, at(18s));
  meter.take(250, at(20s));
  EXPECT_EQ(meter.marks(), (SegmentMarks{100, 10s, 8s, 10s, 50, 2}));
  EXPECT_EQ(meter.age(at(21s)), 11s);
}

TEST(SegmentMeter, BeginsAnewWithEachSegment) {
  SegmentMeter meter;
  meter.begin(0, at(1s));
  meter.take(50, at(2s));
  meter.begin(60, at(3s));
  EXPECT_EQ(meter.marks(), (SegmentMarks{60, 3s, {}, {}, 0, 0}));
  meter.end();
  EXPECT_EQ(meter.marks(), SegmentMarks{});
}

TEST(SharedMarks, AreSeenTogetherOrNotAtAll) {
  SharedMarks shared;
  std::thread writer([&] {
    for (std::uint32_t i = 1; i <= 200'000; ++i) shared.store({i, Duration(i), Duration(i), Duration(i), i, i});
  });
  std::uint32_t seen = 0;
  while (seen < 200'000) {
    const auto marks = shared.load();
    if (!marks) continue;
    ASSERT_GE(marks->moves, seen);
    seen = marks->moves;
    ASSERT_EQ(*marks, (SegmentMarks{seen, Duration(seen), Duration(seen), Duration(seen), seen, seen}));
  }
  writer.join();
}

class MeasuredRun : public testing::Test {
 protected:
  std::unique_ptr<TimedRun> make(const std::string& content, std::uint64_t begin = 0) {
    write_file(directory_.file("input"), content);
    const InputFile file = describe(directory_.file("input"));
    return std::make_unique<TimedRun>(directory_, make_run(file, begin, file.size, ""));
  }
  static std::vector<wire::SegmentTimes> times_of(TimedRun& run) {
    std::vector<wire::SegmentTimes> all;
    for (const wire::FromRunner& message : run.said())
      if (message.has_sealed()) all.push_back(message.sealed().times());
    return all;
  }
  const TemporaryDirectory directory_;
};

// As a command that loads a model before it reads: what is given to it at once is not taken before that.
TEST_F(MeasuredRun, AStartIsNotPartOfThePace) {
  const auto run = make("0123\n5678\nabcd\n", 3);
  std::uint64_t maps = 0;
  run->mapper.on_map = [&](const app::Batch& batch) {
    if (maps++ == 0) {
      run->context().set_taken(batch.offset);  // nothing yet
      EXPECT_EQ(run->block->segment.load()->moves, 0u);
      run->clock.advance(8s);
    }
    run->context().set_taken(batch.offset + batch.bytes.size());
    run->clock.advance(1s);
  };
  ASSERT_TRUE(run->run());
  const auto times = times_of(*run);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(Duration(times[0].first_ns()), 8s);
  EXPECT_EQ(times[0].first_bytes(), 7u);  // from byte 3: the rest of a record of another's, then its own first
  EXPECT_EQ(Duration(times[0].last_ns()), 9s);
  EXPECT_EQ(Duration(times[0].age_ns()), 10s);
  EXPECT_EQ(times[0].moves(), 2u);
  EXPECT_EQ(*run->block->segment.load(), SegmentMarks{});  // nothing is left
}

TEST_F(MeasuredRun, WhatIsBehindACutHasTimesOfItsOwn) {
  const auto run = make("0123\n5678\nabcd\nefgh\n");
  run->mapper.time_per_line = 1s;
  run->mapper.on_map = [&](const app::Batch& batch) {
    if (batch.offset == 0) run->block.cut(10, false);
  };
  run->mapper.on_begin = [&](std::uint64_t) { run->clock.advance(2s); };
  run->mapper.on_flush = [&](app::Output&) { run->clock.advance(3s); };
  ASSERT_TRUE(run->run());
  const auto times = times_of(*run);
  ASSERT_EQ(times.size(), 2u);
  for (const wire::SegmentTimes& segment : times) {
    EXPECT_EQ(Duration(segment.first_ns()), 3s);
    EXPECT_EQ(segment.first_bytes(), 5u);
    EXPECT_EQ(Duration(segment.last_ns()), 4s);
    EXPECT_EQ(Duration(segment.age_ns()), 7s);
    EXPECT_EQ(segment.moves(), 2u);
  }
}

TEST_F(MeasuredRun, ASegmentWithoutARecordTakesNothing) {
  const auto run = make("one long line\n", 4);
  ASSERT_TRUE(run->run());
  const auto times = times_of(*run);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].moves(), 0u);
  EXPECT_EQ(times[0].first_bytes(), 0u);
}

}  // namespace
}  // namespace ontime::worker
