// What a runner measures of its segments, and how it tells its worker.
#include "worker/runner/segment_meter.h"

#include <gtest/gtest.h>

#include <thread>

#include "common/injection/wire.h"
#include "scheduler/math/segment_costs.h"
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
  meter.take(150, 150, at(18s));
  meter.take(250, 250, at(20s));
  EXPECT_EQ(meter.marks(), (SegmentMarks{100, 10s, 8s, 10s, 100, 2}));
  EXPECT_EQ(meter.age(at(21s)), 11s);
}

TEST(SegmentMeter, WhatIsTakenBeforeItIsMappedIsTimedByTheNextTake) {
  SegmentMeter meter;
  meter.begin(100, at(10s));
  meter.first_record_at(107);
  meter.take(171, 100, at(18s));  // a buffer of 64 bytes
  EXPECT_EQ(meter.marks(), (SegmentMarks{100, 10s, 8s, 8s, 0, 1}));
  meter.take(207, 171, at(24s));
  EXPECT_EQ(meter.marks(), (SegmentMarks{100, 10s, 8s, 14s, 64, 2}));
}

TEST(SegmentMeter, WhatIsTakenBeforeMoreIsMappedIsTakenAtOnce) {
  SegmentMeter meter;
  meter.begin(0, at(10s));
  meter.take(10, 0, at(18s));
  meter.take(30, 0, at(19s));
  EXPECT_EQ(meter.taken(), 30u);
  EXPECT_EQ(meter.marks(), (SegmentMarks{0, 10s, 8s, 8s, 0, 1}));
  meter.take(35, 5, at(20s));
  EXPECT_EQ(meter.marks(), (SegmentMarks{0, 10s, 8s, 10s, 5, 2}));
}

TEST(SegmentMeter, BeginsAnewWithEachSegment) {
  SegmentMeter meter;
  meter.begin(0, at(1s));
  meter.take(50, 50, at(2s));
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
  static void expect_learnt(TimedRun& run);
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
  EXPECT_EQ(times[0].timed_bytes(), 5u);  // its own first; what lies before is the rest of a record of another's
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
    EXPECT_EQ(segment.timed_bytes(), 5u);
    EXPECT_EQ(Duration(segment.last_ns()), 4s);
    EXPECT_EQ(Duration(segment.age_ns()), 7s);
    EXPECT_EQ(segment.moves(), 2u);
  }
}

// What is learnt of 100 KiB that need 8 s to start, at 10 KiB/s.
constexpr std::uint64_t kBuffer = 64u << 10;
constexpr std::uint64_t kAll = 100u << 10;
constexpr double kBytesPerSecond = 10u << 10;

std::string lines() {
  std::string all;
  while (all.size() < kAll) all += std::string(1023, 'x') + '\n';
  return all;
}

void MeasuredRun::expect_learnt(TimedRun& run) {
  const auto all = times_of(run);
  ASSERT_EQ(all.size(), 1u);
  const wire::SegmentTimes& times = all.front();
  const scheduler::math::Mapped mapped =
      scheduler::math::mapped_of_sealed({Duration(times.age_ns()), Duration(times.first_ns()),
                                         Duration(times.last_ns()), times.timed_bytes(), times.moves()},
                                        kAll);
  EXPECT_NEAR(seconds(Duration(times.age_ns())), 18, 0.1);
  EXPECT_NEAR(mapped.fixed, 8, 0.4);
  EXPECT_NEAR(mapped.rate(), kBytesPerSecond, 0.05 * kBytesPerSecond);
}

// As a command whose pipe holds 64 KiB: what it takes last it maps behind that.
TEST_F(MeasuredRun, AStartIsLearntFromBuffersOfAnySizes) {
  const auto run = make(lines());
  std::uint64_t given = 0;
  const auto read_to = [&](std::uint64_t offset) {
    const std::uint64_t before = run->block->offset.load();
    run->context().set_taken(offset);
    run->clock.advance(from_seconds(static_cast<double>(offset - before) / kBytesPerSecond));
  };
  run->mapper.on_map = [&](const app::Batch& batch) {
    if (given == 0) {
      run->context().set_taken(0);
      run->clock.advance(8s);
    }
    given = batch.offset + batch.bytes.size();
    if (batch.offset < kBuffer && given >= kBuffer) read_to(kBuffer);
  };
  run->mapper.on_flush = [&](app::Output&) { read_to(kAll); };
  ASSERT_TRUE(run->run());
  expect_learnt(*run);
}

TEST_F(MeasuredRun, AStartIsLearntWhateverIsReadAhead) {
  for (const std::uint64_t ahead : {std::uint64_t{0}, kBuffer}) {
    const auto run = make(lines());
    injection::Disturbance disturbance;
    disturbance.bytes_per_second = kBytesPerSecond;
    disturbance.start = 8s;
    disturbance.reads_ahead = ahead;
    *run->order().mutable_disturbance() = injection::to_wire(disturbance);
    ASSERT_TRUE(run->run());
    expect_learnt(*run);
  }
}

TEST_F(MeasuredRun, ASegmentWithoutARecordTakesNothing) {
  const auto run = make("one long line\n", 4);
  ASSERT_TRUE(run->run());
  const auto times = times_of(*run);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].moves(), 0u);
  EXPECT_EQ(times[0].timed_bytes(), 0u);
}

}  // namespace
}  // namespace ontime::worker
