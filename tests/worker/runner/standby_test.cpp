// A standby gets ready, waits, and then is an attempt like any other on the range that Begin names.
#include <gtest/gtest.h>

#include "common/injection/wire.h"
#include "tests/worker/runner/timed_run.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;
using namespace test;

class Standby : public testing::Test {
 protected:
  static wire::ToRunner standby(const InputFile& file, std::uint64_t begin, std::uint64_t end) {
    wire::ToRunner order = make_run(file, begin, end, "");
    order.mutable_run()->mutable_launch()->set_standby(true);
    return order;
  }
  InputFile input(std::string_view content) {
    write_file(directory_.file("input"), content);
    return describe(directory_.file("input"));
  }

  struct Outcome {
    std::string output;
    wire::Sealed sealed;
    bool operator==(const Outcome& other) const {
      return output == other.output && sealed.SerializeAsString() == other.sealed.SerializeAsString();
    }
  };
  Outcome ordinary(const InputFile& file, ByteRange range, RecordRule rule = {}) {
    TimedRun run(directory_, make_run(file, range.begin, range.end, ""), rule);
    EXPECT_TRUE(run.run());
    return {run.output(), run.said().back().sealed()};
  }
  Outcome begun(const InputFile& file, ByteRange launched, ByteRange range, RecordRule rule = {}) {
    TimedRun run(directory_, standby(file, launched.begin, launched.end), rule);
    run.begin(range.begin, range.end);
    EXPECT_TRUE(run.run());
    const auto messages = run.said();
    EXPECT_EQ(messages.size(), 3u);
    EXPECT_TRUE(messages.front().has_ready());
    EXPECT_TRUE(messages.at(1).has_started());
    return {run.output(), messages.back().sealed()};
  }

  const TemporaryDirectory directory_;
};

// Every range within every launch range of a text that has all that is hard in it.
TEST_F(Standby, MapsExactlyWhatBeginNamesWithTheBytesOfAnOrdinaryAttempt) {
  const std::string content = "a\nbb\r\n\n\nccc\nd\n\nlast";
  const InputFile file = input(content);
  for (std::uint64_t from = 0; from < content.size(); from += 5) {
    for (std::uint64_t begin = from; begin < content.size(); ++begin) {
      for (std::uint64_t end = begin + 1; end <= content.size(); ++end) {
        SCOPED_TRACE(std::to_string(from) + ": " + std::to_string(begin) + "-" + std::to_string(end));
        ASSERT_TRUE(begun(file, {from, content.size()}, {begin, end}) == ordinary(file, {begin, end}));
      }
    }
  }
}

TEST_F(Standby, FixedRecordsBeginWhereTheyShould) {
  const InputFile file = input("aaaaabbbbbcccccddddd");
  const RecordRule rule{std::make_shared<app::FixedRecords>(5), 1 << 20};
  for (std::uint64_t begin = 3; begin < 20; ++begin) {
    ASSERT_TRUE(begun(file, {3, 20}, {begin, 20}, rule) == ordinary(file, {begin, 20}, rule)) << begin;
  }
}

TEST_F(Standby, ACompressedStreamGoesOnFromWhereItWasOpened) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += "line " + std::to_string(i) + "\n";
  write_file(directory_.file("input.gz"), gzip(content));
  const InputFile file = describe(directory_.file("input.gz"), Codec::Gzip);
  for (const std::uint64_t begin : {100u, 101u, 105u, 20'000u, 48'889u, 60'000u}) {
    const Outcome outcome = begun(file, {100, kUnknownEnd}, {begin, kUnknownEnd});
    ASSERT_TRUE(outcome == ordinary(file, {begin, kUnknownEnd})) << begin;
  }
}

TEST_F(Standby, SaysReadyAfterItsLaunchAndNothingElseBeforeBegin) {
  TimedRun run(directory_, standby(input("one\ntwo\nthree\n"), 0, 14));
  injection::Disturbance disturbance;
  disturbance.launch = 3s;
  *run.order().mutable_disturbance() = injection::to_wire(disturbance);
  run.clock.on_sleep = [&] { EXPECT_TRUE(run.said().empty()); };
  run.begin(4, 14);
  ASSERT_TRUE(run.run());
  EXPECT_EQ(run.clock.elapsed(), 3s);
  EXPECT_EQ(run.output(), "two\nthree\n");
}

TEST_F(Standby, ItsPaceCountsFromBegin) {
  TimedRun run(directory_, standby(input(std::string(1000, '\n')), 0, 1000));
  injection::Disturbance disturbance;
  disturbance.launch = 3s;
  disturbance.bytes_per_second = 100;
  *run.order().mutable_disturbance() = injection::to_wire(disturbance);
  run.begin(500, 1000);
  ASSERT_TRUE(run.run());
  EXPECT_NEAR(seconds(run.clock.elapsed()), 3 + 5, 1e-6);
}

// A move to the first record would look like a pace.
TEST_F(Standby, HasMappedNothingBeforeItsFirstRecordWhereverThatBegins) {
  TimedRun run(directory_, standby(input("one\ntwo\nthree\n"), 0, 14));
  run.begin(2, 14);
  run.mapper.on_begin = [&](std::uint64_t) { EXPECT_EQ(run.block->offset.load(), 2u); };
  ASSERT_TRUE(run.run());
  EXPECT_EQ(run.output(), "two\nthree\n");
  EXPECT_EQ(run.block->offset.load(), 14u);
}

TEST_F(Standby, CutsFromBeforeBeginAreNotItsOwnAndLaterOnesAre) {
  TimedRun run(directory_, standby(input("one\ntwo\nthree\n"), 0, 14));
  run.block.cut(8, true);
  run.begin(4, 14);
  run.block.cut(5, true);
  ASSERT_TRUE(run.run());
  const auto messages = run.said();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[1].cut_sequence(), 2u);
  EXPECT_EQ(messages[1].cut().at(), 8u);  // rounded up
  EXPECT_EQ(run.output(), "two\n");
}

TEST_F(Standby, EndsWhenTheWorkerGoesAwayOrAsksForWhatItWasNotLaunchedFor) {
  const InputFile file = input("one\ntwo\nthree\n");
  TimedRun abandoned(directory_, standby(file, 0, 14));
  abandoned.close();
  EXPECT_FALSE(abandoned.run());
  for (const ByteRange range : {ByteRange{3, 8}, ByteRange{4, 15}, ByteRange{8, 8}, ByteRange{9, 8}}) {
    TimedRun run(directory_, standby(file, 4, 14));
    run.begin(range.begin, range.end);
    EXPECT_FALSE(run.run());
  }
}

}  // namespace
}  // namespace ontime::worker
