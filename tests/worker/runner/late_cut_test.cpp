// Cuts that come while the mapper is busy with a block: the worker cuts in its place, or the mapper gives back what it
// has not begun with.
#include <gtest/gtest.h>

#include "tests/worker/runner/timed_run.h"

namespace ontime::worker {
namespace {

using namespace test;

class LateCutRun : public testing::Test {
 protected:
  InputFile input() const {
    write_file(directory_.file("input"), "0123\n5678\nabcd\nefgh\nijkl\nmnop\nqrst\n");
    return describe(directory_.file("input"));
  }
  static std::vector<wire::FromRunner> cuts_of(const std::vector<wire::FromRunner>& messages) {
    std::vector<wire::FromRunner> all;
    for (const wire::FromRunner& message : messages)
      if (message.has_cut()) all.push_back(message);
    return all;
  }

  const TemporaryDirectory directory_;
  TimedRun run_{directory_, make_run(input(), 0, 35, "")};
  std::uint64_t claimed_ = 0;
};

TEST_F(LateCutRun, WhatTheWorkerHasCutOffIsNotMapped) {
  run_.mapper.on_map = [&](const app::Batch& batch) {
    if (batch.offset != 5) return;
    run_.block.cut(0, true);
    EXPECT_EQ(run_.block->claims.cut({0, true}, {0, 35}, claimed_), 15u);  // two records are in hand
  };
  ASSERT_TRUE(run_.run());
  EXPECT_EQ(run_.output(), "0123\n5678\nabcd\n");
  const auto messages = run_.said();
  EXPECT_TRUE(cuts_of(messages).empty());  // it is answered
  EXPECT_EQ(messages.back().sealed().range().end(), 15u);
  EXPECT_EQ(messages.back().sealed().output().records(), 3u);
}

TEST_F(LateCutRun, AtABorderInsideARecordTheRecordIsMappedByTheOneWhereItBegins) {
  run_.mapper.on_map = [&](const app::Batch& batch) {
    if (batch.offset != 0) return;
    run_.block.cut(12, true);
    EXPECT_EQ(run_.block->claims.cut({12, true}, {0, 35}, claimed_), 12u);
  };
  ASSERT_TRUE(run_.run());
  EXPECT_EQ(run_.output(), "0123\n5678\nabcd\n");
  EXPECT_EQ(run_.said().back().sealed().range().end(), 12u);
  EXPECT_EQ(run_.block->offset.load(), 12u);
}

TEST_F(LateCutRun, WithoutReleaseItGoesOnBehindTheBorder) {
  run_.mapper.on_map = [&](const app::Batch& batch) {
    if (batch.offset != 0) return;
    run_.block.cut(0, false);
    EXPECT_EQ(run_.block->claims.cut({0, false}, {0, 35}, claimed_), 5u);
  };
  ASSERT_TRUE(run_.run());
  const auto messages = run_.said();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].sealed().range().end(), 5u);
  EXPECT_EQ(messages[2].sealed().range().end(), 35u);
  EXPECT_EQ(run_.output(), read_file(directory_.file("input")));
}

TEST_F(LateCutRun, AfterItTheNextOneIsAnsweredByTheRunner) {
  run_.mapper.on_map = [&](const app::Batch& batch) {
    if (batch.offset == 0) {
      run_.block.cut(20, true);
      EXPECT_EQ(run_.block->claims.cut({20, true}, {0, 35}, claimed_), 20u);
    } else if (batch.offset == 5) {
      run_.block.cut(0, true);
    }
  };
  ASSERT_TRUE(run_.run());
  const auto cuts = cuts_of(run_.said());
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].cut_sequence(), 2u);
  EXPECT_EQ(cuts[0].cut().at(), 15u);
}

// As a command whose pipe is full does.
TEST_F(LateCutRun, WhatTheMapperHasNotBegunWithIsGivenBack) {
  run_.mapper.takes = [&](const app::Batch& batch) -> std::size_t {
    if (batch.offset != 15) return batch.bytes.size();
    EXPECT_EQ(batch.bytes.size(), 20u);
    EXPECT_FALSE(run_.context().is_released(20));
    run_.block.cut(0, true);
    EXPECT_TRUE(run_.context().is_released(20));
    EXPECT_FALSE(run_.context().is_released(25));  // it was told
    return 5;
  };
  ASSERT_TRUE(run_.run());
  EXPECT_EQ(run_.output(), "0123\n5678\nabcd\nefgh\n");
  const auto messages = run_.said();
  ASSERT_EQ(cuts_of(messages).size(), 1u);
  EXPECT_EQ(cuts_of(messages)[0].cut().at(), 20u);
  EXPECT_EQ(messages.back().sealed().range().end(), 20u);
  EXPECT_EQ(messages.back().sealed().output().records(), 4u);
  EXPECT_EQ(run_.block->offset.load(), 20u);
}

TEST_F(LateCutRun, NothingIsGivenBackThatTheCutLeaves) {
  run_.mapper.takes = [&](const app::Batch& batch) -> std::size_t {
    if (batch.offset == 15) {
      run_.block.cut(30, true);
      EXPECT_FALSE(run_.context().is_released(20));
      EXPECT_TRUE(run_.context().is_released(30));
      return 15;
    }
    return batch.bytes.size();
  };
  ASSERT_TRUE(run_.run());
  EXPECT_EQ(run_.said().back().sealed().range().end(), 30u);
}

}  // namespace
}  // namespace ontime::worker
