// Blocks are as long as a moment, whatever a record takes.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/worker/runner/timed_run.h"
#include "worker/runner/pace.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;
using namespace test;

TEST(BlockSize, BeginsWithOneRecordAndGrowsWhileBlocksAreQuick) {
  BlockSize size(128 << 10);
  EXPECT_EQ(size.bytes(), 1u);
  size.on_mapped(60, 1ms);  // the first record
  EXPECT_EQ(size.bytes(), 120u);
  for (int i = 0; i < 20; ++i) size.on_mapped(size.bytes(), 1ms);
  EXPECT_EQ(size.bytes(), 128u << 10);
}

TEST(BlockSize, ShrinksAtOnceToWhatFits) {
  BlockSize size(128 << 10);
  for (int i = 0; i < 20; ++i) size.on_mapped(size.bytes(), 1ms);
  size.on_mapped(128 << 10, 5s);
  EXPECT_EQ(size.bytes(), (128u << 10) / 100);
  size.on_mapped(size.bytes(), 100s);
  EXPECT_EQ(size.bytes(), 1u);
  size.on_mapped(100, 1h);
  EXPECT_EQ(size.bytes(), 1u);
}

TEST(BlockSize, StaysWhereABlockLastsAMoment) {
  BlockSize size(128 << 10);
  size.on_mapped(1000, 1ms);
  size.on_mapped(2000, BlockSize::kTarget);
  EXPECT_EQ(size.bytes(), 2000u);
}

TEST(BlockSize, ALittlePieceThatIsQuickTellsNothing) {
  BlockSize size(128 << 10);
  size.on_mapped(1000, 1ms);
  size.on_mapped(10, 0ms);
  EXPECT_EQ(size.bytes(), 2000u);
}

class BlocksOfARun : public testing::Test {
 protected:
  std::unique_ptr<TimedRun> make(int lines) {
    std::string content;
    for (int i = 0; i < lines; ++i) content += "the line that has the number " + std::to_string(i) + "\n";
    write_file(directory_.file("input"), content);
    const InputFile file = describe(directory_.file("input"));
    return std::make_unique<TimedRun>(directory_, make_run(file, 0, file.size, ""));
  }
  const TemporaryDirectory directory_;
};

// As of a command that maps 30 lines a second: a cut would wait for so long.
TEST_F(BlocksOfARun, SlowRecordsAreClaimedFewAtATime) {
  const auto run = make(5000);
  run->mapper.time_per_line = 33ms;
  Duration last{0};
  Duration longest{0};
  run->mapper.on_map = [&](const app::Batch&) {
    longest = std::max(longest, run->clock.elapsed() - last);
    last = run->clock.elapsed();
  };
  ASSERT_TRUE(run->run());
  EXPECT_LE(longest, 2 * BlockSize::kTarget + 33ms);
}

TEST_F(BlocksOfARun, QuickRecordsAreClaimedInLargeBlocks) {
  const auto run = make(100'000);
  ASSERT_TRUE(run->run());
  const auto& batches = run->mapper.batches;
  EXPECT_LE(batches.size(), 17 + batches.back().end / RecordReader::kBlockBytes + 2);
}

TEST_F(BlocksOfARun, ACutIsAnsweredWithinABlockOfAMoment) {
  const auto run = make(5000);
  run->mapper.time_per_line = 33ms;
  Duration asked{0};
  run->mapper.on_map = [&](const app::Batch& batch) {
    if (batch.offset < 2000 || asked > Duration(0)) return;
    asked = run->clock.elapsed();
    run->block.cut(0, true);
  };
  ASSERT_TRUE(run->run());
  EXPECT_LE(run->clock.elapsed() - asked, 33ms);  // it stops where it stands
}

TEST_F(BlocksOfARun, ProgressIsWhatTheMapperSaysThatItHasTaken) {
  const auto run = make(10);
  const std::uint64_t end = run->order().launch().range().end();
  std::vector<std::uint64_t> shown;
  run->mapper.on_map = [&](const app::Batch& batch) {
    run->context().set_taken(batch.offset / 2);
    shown.push_back(run->block->offset.load());
    run->context().set_taken(end + 1000);  // never more than was given
    EXPECT_LE(run->block->offset.load(), batch.offset + batch.bytes.size());
    run->context().set_taken(batch.offset / 2);
    if (shown.back() != batch.offset / 2) ADD_FAILURE() << shown.back();
  };
  ASSERT_TRUE(run->run());
  EXPECT_GT(shown.size(), 2u);
  EXPECT_EQ(run->block->offset.load(), end);
}

}  // namespace
}  // namespace ontime::worker
