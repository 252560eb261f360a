#include "worker/runner/cut_points.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace ontime::worker {
namespace {

TEST(CutPoints, WithoutCutsTheWholeRangeIsOneSegment) {
  CutPoints points({10, 50});
  EXPECT_EQ(points.segment(), (ByteRange{10, 50}));
  EXPECT_FALSE(points.is_over());
  points.on_sealed();
  EXPECT_TRUE(points.is_over());
}

TEST(CutPoints, ACheckpointAheadIsSealedWhereItWasAsked) {
  CutPoints points({0, 100});
  EXPECT_EQ(points.cut(20, true, 60, false), 60u);
  EXPECT_EQ(points.segment(), (ByteRange{0, 60}));
  points.on_sealed();
  EXPECT_EQ(points.segment(), (ByteRange{60, 100}));
}

TEST(CutPoints, ACutBehindThePositionIsHonouredAtThePosition) {
  CutPoints points({0, 100});
  EXPECT_EQ(points.cut(20, true, 10, true), 20u);
  EXPECT_EQ(points.segment(), (ByteRange{0, 20}));
  points.on_sealed();
  EXPECT_TRUE(points.is_over());
}

TEST(CutPoints, NothingMappedGivesEverythingBack) {
  CutPoints points({10, 100});
  EXPECT_EQ(points.cut(13, false, 12, false), 10u);
  EXPECT_EQ(points.segment(), (ByteRange{10, 100}));
  EXPECT_EQ(points.cut(13, false, 12, true), 10u);
  EXPECT_TRUE(points.is_over());
}

TEST(CutPoints, ACutAtOrBehindTheEndChangesNothing) {
  CutPoints points({0, 100});
  EXPECT_EQ(points.cut(20, true, 100, true), 100u);
  EXPECT_EQ(points.cut(20, true, 5000, false), 100u);
  EXPECT_EQ(points.cut(130, true, 40, true), 100u);  // the last record reached past the end
  EXPECT_EQ(points.segment(), (ByteRange{0, 100}));
}

TEST(CutPoints, AReleaseBelowACheckpointForgetsTheCheckpoint) {
  CutPoints points({0, 100});
  points.cut(0, true, 80, false);
  EXPECT_EQ(points.cut(10, true, 40, true), 40u);
  EXPECT_EQ(points.segment(), (ByteRange{0, 40}));
  points.on_sealed();
  EXPECT_TRUE(points.is_over());
}

TEST(CutPoints, AnOpenEndIsCutLikeAnyOther) {
  CutPoints points({0, kUnknownEnd});
  EXPECT_EQ(points.cut(10, true, 1000, false), 1000u);
  EXPECT_EQ(points.cut(10, true, kUnknownEnd, true), kUnknownEnd);
  points.on_sealed();  // the stream ended at 700
  EXPECT_EQ(points.segment(), (ByteRange{1000, kUnknownEnd}));
  EXPECT_EQ(points.cut(700, false, 800, true), 1000u);
  EXPECT_TRUE(points.is_over());
}

// A model of an attempt over random records: it claims some, is cut, seals when a segment is done. Whatever the order,
// what it sealed and what it gave back tile its range, in order, and no claimed record lies in a part given back.
RC_GTEST_PROP(CutPoints, SealedAndReleasedPartsTileTheRange, ()) {
  const auto lengths = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 9));
  std::vector<std::uint64_t> starts{0};  // of records; the last is the end of the file
  for (const std::uint64_t length : lengths) starts.push_back(starts.back() + length);
  const std::uint64_t size = starts.back();
  const ByteRange range{*rc::gen::inRange<std::uint64_t>(0, size + 1), size};
  const bool is_compressed = *rc::gen::arbitrary<bool>();
  const auto start_from = [&](std::uint64_t at) { return *std::lower_bound(starts.begin(), starts.end(), at); };

  CutPoints points(range);
  std::uint64_t position = start_from(range.begin);
  std::uint64_t sealed_up_to = range.begin;
  std::uint64_t released_from = size;
  bool has_mapped = false;
  while (!points.is_over()) {
    if (*rc::gen::arbitrary<bool>()) {
      std::uint64_t at = *rc::gen::inRange<std::uint64_t>(0, size + 3);
      if (at > position && at < points.end() && !is_compressed) at = std::min(start_from(at), points.end());
      const bool release = *rc::gen::arbitrary<bool>();
      const std::uint64_t end_before = points.end();
      const std::uint64_t honoured = points.cut(position, has_mapped, at, release);
      RC_ASSERT(honoured >= points.segment().begin && honoured <= end_before);
      RC_ASSERT(!has_mapped || honoured >= std::min(position, end_before));
      RC_ASSERT(points.end() == (release ? honoured : end_before));
      if (release) released_from = honoured;
    } else if (position < points.segment().end) {
      position = start_from(position + 1);
      has_mapped = true;
    } else {
      RC_ASSERT(points.segment().begin == sealed_up_to);
      RC_ASSERT(points.segment().end > sealed_up_to);
      sealed_up_to = points.segment().end;
      points.on_sealed();
      has_mapped = false;
    }
  }
  RC_ASSERT(sealed_up_to == released_from);
}

}  // namespace
}  // namespace ontime::worker
