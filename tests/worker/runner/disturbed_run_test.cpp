// An attempt that is held to a rate, launched late, paused or slowed down, on a clock of the test's.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/injection/wire.h"
#include "tests/worker/runner/timed_run.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;
using namespace test;
using injection::Disturbance;

std::string text(int lines) {
  std::string all;
  for (int i = 0; i < lines; ++i) all += "line " + std::to_string(i) + "\n";
  return all;
}

class DisturbedRun : public testing::Test {
 protected:
  // A run over all of `content`, disturbed so.
  std::unique_ptr<TimedRun> make(const std::string& content, const Disturbance& disturbance, RecordRule rule = {}) {
    write_file(directory_.file("input"), content);
    const InputFile file = describe(directory_.file("input"));
    auto run = std::make_unique<TimedRun>(directory_, make_run(file, 0, file.size, ""), rule);
    *run->order().mutable_disturbance() = injection::to_wire(disturbance);
    return run;
  }
  static Disturbance at_rate(double bytes_per_second) {
    Disturbance disturbance;
    disturbance.bytes_per_second = bytes_per_second;
    return disturbance;
  }

  const TemporaryDirectory directory_;
};

TEST_F(DisturbedRun, TakesItsTimeExactlyAndInSmallSteps) {
  const std::string content = text(500);
  const auto run = make(content, at_rate(static_cast<double>(content.size()) / 4));
  std::uint64_t last = 0;
  std::uint64_t step_max = 0;
  run->clock.on_sleep = [&] {
    const std::uint64_t offset = run->block->offset.load();
    step_max = std::max(step_max, offset - last);
    last = offset;
    // Never ahead of the schedule by more than the piece in hand.
    const double due = seconds(run->clock.elapsed()) / 4 * static_cast<double>(content.size());
    EXPECT_LE(static_cast<double>(offset), due + 60);
  };
  ASSERT_TRUE(run->run());
  EXPECT_NEAR(seconds(run->clock.elapsed()), 4, 1e-6);
  EXPECT_LE(run->clock.longest(), Pace::kStep);
  EXPECT_LE(step_max, content.size() / 200 + 9);  // what 20 ms are worth, and the rest of a line
  EXPECT_EQ(run->output(), content);
  EXPECT_EQ(run->block->offset.load(), content.size());
  const auto messages = run->said();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_TRUE(messages[0].has_started());
  EXPECT_EQ(messages[1].sealed().range().end(), content.size());
}

TEST_F(DisturbedRun, ASmallSplitGoesRecordByRecord) {
  const std::string content = text(20);
  const auto run = make(content, at_rate(static_cast<double>(content.size()) / 60));
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->mapper.batches.size(), 20u);
  EXPECT_NEAR(seconds(run->clock.elapsed()), 60, 1e-6);
}

TEST_F(DisturbedRun, FixedRecordsArePacedToo) {
  const auto run = make(std::string(1000, 'x'), at_rate(100), {std::make_shared<app::FixedRecords>(10), 1 << 20});
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->mapper.batches.size(), 100u);
  EXPECT_NEAR(seconds(run->clock.elapsed()), 10, 1e-6);
}

TEST_F(DisturbedRun, APartTakesItsShare) {
  const std::string content(1000, '\n');
  const auto run = make(content, at_rate(100));
  run->order().mutable_launch()->mutable_range()->set_begin(250);
  run->order().mutable_launch()->mutable_range()->set_end(500);
  ASSERT_TRUE(run->run());
  EXPECT_NEAR(seconds(run->clock.elapsed()), 2.5, 1e-6);
  EXPECT_EQ(run->output().size(), 250u);
}

TEST_F(DisturbedRun, ALateAttemptCatchesUp) {
  const std::string content(1000, '\n');
  const auto run = make(content, at_rate(100));
  bool was_late = false;
  run->clock.on_sleep = [&] {
    if (run->block->offset.load() > 500 && !std::exchange(was_late, true)) run->clock.advance(3s);
  };
  ASSERT_TRUE(run->run());
  EXPECT_TRUE(was_late);
  EXPECT_NEAR(seconds(run->clock.elapsed()), 10, 1e-6);
}

TEST_F(DisturbedRun, ACompressedInputIsPacedByItsStream) {
  write_file(directory_.file("input.gz"), gzip(std::string(1000, '\n')));
  TimedRun run(directory_, make_run(describe(directory_.file("input.gz"), Codec::Gzip), 0, kUnknownEnd, ""));
  *run.order().mutable_disturbance() = injection::to_wire(at_rate(100));
  ASSERT_TRUE(run.run());
  EXPECT_NEAR(seconds(run.clock.elapsed()), 10, 1e-6);
  EXPECT_EQ(run.said().back().sealed().input_end(), 1000u);
}

TEST_F(DisturbedRun, TheLaunchDelayComesBeforeTheFirstRecord) {
  Disturbance disturbance;
  disturbance.launch = 2s;
  const auto run = make(text(5), disturbance);
  run->clock.on_sleep = [&] { EXPECT_TRUE(run->said().empty()); };
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->clock.elapsed(), 2s);
  EXPECT_TRUE(run->said().front().has_started());
}

TEST_F(DisturbedRun, ACutInTheLaunchDelayGivesEverythingBackAtOnce) {
  Disturbance disturbance;
  disturbance.launch = 1h;
  const auto run = make(text(5), disturbance);
  run->clock.on_sleep = [&] {
    if (run->clock.sleeps() == 10) run->block.cut(0, true);
  };
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->clock.sleeps(), 10);
  const auto messages = run->said();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].cut().at(), 0u);
}

// The record in hand is worth an hour; a cut that comes within is answered at the next look.
TEST_F(DisturbedRun, ACutIsAnsweredInTheMiddleOfALongWait) {
  const auto run = make(text(5), at_rate(7.0 / 3600));
  run->clock.on_sleep = [&] {
    if (run->clock.sleeps() == 1000) {
      EXPECT_EQ(run->said().size(), 1u);  // started
      run->block.cut(0, true);
    } else if (run->clock.sleeps() == 1001) {
      ADD_FAILURE() << "it sleeps on instead of sealing";
    }
  };
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->clock.sleeps(), 1000);
  const auto messages = run->said();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].cut().at(), 7u);  // behind the first line, which was mapped before the wait
  EXPECT_EQ(messages[1].sealed().range().end(), 7u);
  EXPECT_EQ(run->output(), "line 0\n");
}

TEST_F(DisturbedRun, ACheckpointInAWaitSealsAndTheWaitGoesOn) {
  const std::string content(100, '\n');
  const auto run = make(content, at_rate(0.1));
  run->clock.on_sleep = [&] {
    if (run->clock.sleeps() == 100) run->block.cut(0, false);
    if (run->clock.sleeps() == 101) {
      EXPECT_EQ(run->said().back().sealed().range().end(), 1u);
    }
  };
  ASSERT_TRUE(run->run());
  EXPECT_NEAR(seconds(run->clock.elapsed()), 1000, 1e-6);
  EXPECT_EQ(run->said().back().sealed().range().end(), 100u);
  EXPECT_EQ(run->output(), content);
}

TEST_F(DisturbedRun, ACutInAPauseIsAnsweredToo) {
  Disturbance disturbance;
  disturbance.pause = 1h;
  disturbance.pause_fraction = 0.5;
  const auto run = make(std::string(100, '\n'), disturbance);
  run->clock.on_sleep = [&] {
    EXPECT_EQ(run->block->offset.load(), 50u);
    if (run->clock.sleeps() == 10) run->block.cut(80, true);
    if (run->clock.sleeps() == 11) {
      EXPECT_EQ(run->said().back().cut().at(), 80u);
    }
  };
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->clock.elapsed(), 1h);
  EXPECT_EQ(run->output().size(), 80u);
}

TEST_F(DisturbedRun, ASlowDownWithoutARateStretchesTheMapping) {
  Disturbance disturbance;
  disturbance.slowdown = 4;
  const auto run = make(std::string(300'000, '\n'), disturbance);
  run->mapper.time_per_batch = 10ms;
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->clock.elapsed(), 40ms * run->mapper.batches.size());
}

// As with a command that loads a model first: it is begun, takes nothing, and nobody looks whether it is to cut.
TEST_F(DisturbedRun, AStartComesBehindTheReportThatItHasStartedAndIsDeafToCuts) {
  Disturbance disturbance = at_rate(10);
  disturbance.start = 8s;
  const auto run = make(std::string(100, '\n'), disturbance);
  run->clock.on_sleep = [&] {
    if (run->clock.sleeps() > 1) return;
    EXPECT_EQ(run->clock.elapsed(), 8s);
    EXPECT_TRUE(run->said().front().has_started());
    EXPECT_EQ(run->block->offset.load(), 0u);
    run->block.cut(0, true);
  };
  ASSERT_TRUE(run->run());
  const auto messages = run->said();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].cut().at(), 1u) << "it has claimed its first record";
  EXPECT_EQ(messages[1].sealed().range().end(), 1u);
}

TEST_F(DisturbedRun, AStartIsPaidPerSegmentUnlessItIsTheAttempts) {
  for (const auto& [of, starts] : {std::pair{injection::StartOf::Segment, 2}, {injection::StartOf::Attempt, 1}}) {
    Disturbance disturbance = at_rate(10);
    disturbance.start = 8s;
    disturbance.start_of = of;
    const auto run = make(std::string(100, '\n'), disturbance);
    run->clock.on_sleep = [&] {
      if (run->clock.sleeps() == 10) run->block.cut(50, false);
    };
    ASSERT_TRUE(run->run());
    EXPECT_NEAR(seconds(run->clock.elapsed()), 8 * starts + 10, 1e-6);
    EXPECT_EQ(run->output().size(), 100u);
  }
}

TEST_F(DisturbedRun, WhatItReadsAheadIsTakenAndSealedWhenItsTimeHasCome) {
  Disturbance disturbance = at_rate(10);
  disturbance.start = 2s;
  disturbance.reads_ahead = 30;
  const auto run = make(std::string(100, '\n'), disturbance);
  run->clock.on_sleep = [&] {
    if (run->clock.elapsed() < 2100ms || run->clock.elapsed() >= 8s) return;  // of the first segment
    const double due = 30 + 10 * (seconds(run->clock.elapsed()) - 2);
    EXPECT_NEAR(static_cast<double>(run->block->offset.load()), std::min(due, 60.0), 2);
    if (run->clock.elapsed() > 3s && run->clock.elapsed() < 3025ms) run->block.cut(60, false);
  };
  ASSERT_TRUE(run->run());
  std::vector<std::uint64_t> ends;
  for (const auto& message : run->said()) {
    if (message.has_sealed()) ends.push_back(message.sealed().range().end());
  }
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{60, 100}));
  EXPECT_NEAR(seconds(run->clock.elapsed()), 2 + 6 + 2 + 4, 1e-6) << "no sooner than it would be mapped";
}

TEST_F(DisturbedRun, WithoutADisturbanceNobodyWaits) {
  const auto run = make(text(100), {});
  run->clock.on_sleep = [] { ADD_FAILURE(); };
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->clock.elapsed(), 0s);
}

}  // namespace
}  // namespace ontime::worker
