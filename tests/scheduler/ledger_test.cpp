#include "scheduler/core/ledger.h"

#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "scheduler/core/task.h"

namespace ontime::scheduler {
namespace {

SealedOutput output_of(std::uint64_t length) { return {.file_offset = 0, .length = length, .records = 3, .crc32c = 7}; }

TEST(Ledger, BeginsWithOneOpenSegment) {
  const Ledger ledger({10, 50});
  ASSERT_EQ(ledger.segments().size(), 1u);
  EXPECT_EQ(ledger.segments()[0].range, (ByteRange{10, 50}));
  EXPECT_FALSE(ledger.is_done());
}

// A job may have a million tasks; docs/flags.md says what each takes.
TEST(Ledger, ATaskThatHasNotRunIsSmall) {
  EXPECT_LE(sizeof(Task), 72u);
  EXPECT_LE(sizeof(Segment), 56u);  // 64 as the allocator hands it out
  EXPECT_EQ(Ledger({10, 50}).segments().capacity(), 1u);
}

TEST(Ledger, KeepsEachNumberOfAnOutput) {
  Ledger ledger({0, 100});
  const std::uint64_t most = (std::uint64_t{1} << 54) - 1;
  ASSERT_TRUE(ledger.seal({0, 100}, 100, 0, {most - 1, most - 2, kOffsetMax - 3, 0xfffffffe, most - 4}));
  const KeptOutput& kept = ledger.find(0)->output;
  EXPECT_EQ(kept.file_offset, most - 1);
  EXPECT_EQ(kept.length, most - 2);
  EXPECT_EQ(kept.records, kOffsetMax - 3);
  EXPECT_EQ(kept.crc32c, 0xfffffffe);
  EXPECT_EQ(kept.content_length, most - 4);
  EXPECT_EQ(ledger.sealed_output().content_length, most - 4);
}

TEST(Ledger, CutDividesAnOpenSegmentAndKeepsItsBegin) {
  Ledger ledger({0, 100});
  EXPECT_TRUE(ledger.cut(0, 30));
  ASSERT_EQ(ledger.segments().size(), 2u);
  EXPECT_EQ(ledger.find(0)->range, (ByteRange{0, 30}));
  EXPECT_EQ(ledger.find(30)->range, (ByteRange{30, 100}));
}

TEST(Ledger, CutAtABorderOrOutsideChangesNothing) {
  Ledger ledger({0, 100});
  EXPECT_FALSE(ledger.cut(0, 0));
  EXPECT_FALSE(ledger.cut(0, 100));
  EXPECT_FALSE(ledger.cut(0, 101));
  EXPECT_FALSE(ledger.cut(5, 30));
  EXPECT_EQ(ledger.segments().size(), 1u);
}

TEST(Ledger, SealedSegmentIsNeverCutOrSealedAgain) {
  Ledger ledger({0, 100});
  ASSERT_TRUE(ledger.seal({0, 100}, 100, 0, output_of(5)));
  EXPECT_FALSE(ledger.cut(0, 50));
  EXPECT_FALSE(ledger.seal({0, 100}, 100, 1, output_of(9)));
  EXPECT_EQ(ledger.find(0)->attempt, 0u);
  EXPECT_EQ(ledger.find(0)->output.length, 5u);
}

TEST(Ledger, SealOfAnythingButAWholeOpenSegmentIsRefused) {
  Ledger ledger({0, 100});
  ledger.cut(0, 40);
  EXPECT_FALSE(ledger.seal({0, 100}, 100, 0, {}));
  EXPECT_FALSE(ledger.seal({0, 39}, 39, 0, {}));
  EXPECT_FALSE(ledger.seal({1, 40}, 40, 0, {}));
  EXPECT_FALSE(ledger.seal({0, 40}, 41, 0, {}));
  EXPECT_TRUE(ledger.seal({0, 40}, 40, 0, {}));
}

TEST(Ledger, IsDoneWhenEverySegmentIsSealed) {
  Ledger ledger({0, 100});
  ledger.cut(0, 40);
  ledger.seal({40, 100}, 100, 1, output_of(1));
  EXPECT_FALSE(ledger.is_done());
  ledger.seal({0, 40}, 40, 0, output_of(1));
  EXPECT_TRUE(ledger.is_done());
  EXPECT_EQ(ledger.sealed_bytes(), 100u);
  EXPECT_EQ(ledger.sealed_output().records, 6u);
}

TEST(Ledger, UnknownEndIsClosedByItsSeal) {
  Ledger ledger({0, kUnknownEnd});
  ASSERT_TRUE(ledger.cut(0, 500));
  ASSERT_TRUE(ledger.seal({500, kUnknownEnd}, 812, 0, {}));
  EXPECT_EQ(ledger.split().end, 812u);
  EXPECT_FALSE(ledger.is_done());
}

TEST(Ledger, UnknownEndCannotCloseBeforeItsBegin) {
  Ledger ledger({0, kUnknownEnd});
  ledger.cut(0, 500);
  EXPECT_FALSE(ledger.seal({500, kUnknownEnd}, 499, 0, {}));
  EXPECT_TRUE(ledger.seal({500, kUnknownEnd}, 500, 0, {}));
}

TEST(Ledger, OpenUntilStopsAtTheFirstSealedSegment) {
  Ledger ledger({0, 100});
  ledger.cut(0, 20);
  ledger.cut(20, 60);
  ledger.seal({60, 100}, 100, 0, {});
  EXPECT_EQ(ledger.open_until(0), 60u);
  EXPECT_EQ(ledger.open_until(60), 60u);
}

TEST(Ledger, FailuresCountPerSegmentAndACutInheritsThem) {
  Ledger ledger({0, 100});
  ledger.count_failure(0);
  EXPECT_EQ(ledger.find(0)->failures, 1u);
  ledger.count_failure(0);
  EXPECT_EQ(ledger.find(0)->failures, 2u);
  ledger.cut(0, 50);
  EXPECT_EQ(ledger.find(0)->failures, 2);
  EXPECT_EQ(ledger.find(50)->failures, 2);
  ledger.count_failure(50);
  EXPECT_EQ(ledger.find(0)->failures, 2);
}

TEST(Ledger, WhatStoodStillInFrontOfACutIsNotCountedBehindIt) {
  Ledger ledger({0, 100});
  ledger.count_silence(0);
  ledger.count_stall(0);
  ledger.cut(0, 50);
  EXPECT_EQ(ledger.find(0)->silences, 1);
  EXPECT_EQ(ledger.find(0)->stalls, 1);
  EXPECT_EQ(ledger.find(50)->silences, 0);
  EXPECT_EQ(ledger.find(50)->stalls, 0);
}

TEST(Ledger, FindsTheSegmentThatContainsAnOffset) {
  Ledger ledger({10, 100});
  ledger.cut(10, 40);
  EXPECT_EQ(ledger.containing(9), nullptr);
  EXPECT_EQ(ledger.containing(39)->range.begin, 10u);
  EXPECT_EQ(ledger.containing(40)->range.begin, 40u);
  EXPECT_EQ(ledger.containing(100), nullptr);
}

}  // namespace
}  // namespace ontime::scheduler
