// A runner and its worker, who each change one word: what one claims and the other cuts off tiles the range.
#include "worker/claim_word.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "worker/runner/cut_points.h"

namespace ontime::worker {
namespace {

constexpr ByteRange kHeld{100, 200};

TEST(ClaimWord, WhatIsClaimedIsNotCutOff) {
  ClaimWord word;
  std::uint64_t claimed = 0;
  word.reset(100);
  EXPECT_TRUE(word.claim(130));
  EXPECT_EQ(word.cut({110, true}, kHeld, claimed), 130u);
  EXPECT_TRUE(word.is_cut());
}

TEST(ClaimWord, NothingIsClaimedBehindACutBeforeItIsSeen) {
  ClaimWord word;
  std::uint64_t claimed = 0;
  word.reset(100);
  EXPECT_TRUE(word.claim(130));
  EXPECT_EQ(word.cut({150, true}, kHeld, claimed), 150u);
  EXPECT_FALSE(word.claim(140));
  EXPECT_FALSE(word.take_answer(130));
  EXPECT_EQ(word.take_cut(130), (Cut{150, true}));
  EXPECT_EQ(word.take_cut(130), std::nullopt);
  EXPECT_TRUE(word.claim(150));
}

TEST(ClaimWord, OneOfTheTwoAnswers) {
  ClaimWord word;
  std::uint64_t claimed = 0;
  word.reset(100);
  EXPECT_TRUE(word.take_answer(100));
  EXPECT_EQ(word.cut({150, true}, kHeld, claimed), std::nullopt);
  EXPECT_TRUE(word.claim(140));
  EXPECT_EQ(word.cut({150, true}, kHeld, claimed), std::nullopt);  // the answer may still be on its way
  word.expect_answer();
  EXPECT_EQ(word.cut({120, false}, kHeld, claimed), 140u);
}

TEST(ClaimWord, ACutThatWasNotSeenGivesWayToALowerOneOnly) {
  ClaimWord word;
  std::uint64_t claimed = 0;
  word.reset(100);
  EXPECT_TRUE(word.claim(110));
  EXPECT_EQ(word.cut({150, true}, kHeld, claimed), 150u);
  EXPECT_EQ(word.cut({160, true}, kHeld, claimed), 150u);
  EXPECT_EQ(word.cut({105, true}, kHeld, claimed), 110u);
  EXPECT_EQ(word.take_cut(110), (Cut{110, true}));
}

TEST(ClaimWord, ACutThatWasNotSeenReleasesIfTheNextOneDoes) {
  ClaimWord word;
  std::uint64_t claimed = 0;
  word.reset(100);
  EXPECT_TRUE(word.claim(110));
  EXPECT_EQ(word.cut({150, false}, kHeld, claimed), 150u);
  EXPECT_EQ(word.cut({160, true}, kHeld, claimed), 150u);
  EXPECT_EQ(word.take_cut(110), (Cut{150, true}));
  EXPECT_TRUE(word.claim(150));
}

TEST(ClaimWord, ACutThatWasNotSeenAnswersThoseThatDoNotRelease) {
  ClaimWord word;
  std::uint64_t claimed = 0;
  word.reset(100);
  EXPECT_TRUE(word.claim(110));
  EXPECT_EQ(word.cut({150, false}, kHeld, claimed), 150u);
  for (const std::uint64_t at : {105u, 120u, 150u, 160u}) EXPECT_EQ(word.cut({at, false}, kHeld, claimed), 150u);
  EXPECT_EQ(word.take_cut(110), (Cut{150, false}));
  EXPECT_EQ(word.cut({170, true}, kHeld, claimed), 170u);
  EXPECT_EQ(word.cut({120, false}, {100, 170}, claimed), 170u);  // it will not do more than that
  EXPECT_EQ(word.take_cut(110), (Cut{170, true}));
  EXPECT_TRUE(word.claim(~std::uint64_t{0}));
  EXPECT_EQ(word.cut({150, false}, kHeld, claimed), 200u);
  EXPECT_EQ(word.cut({150, false}, kHeld, claimed), 200u);
  EXPECT_EQ(word.take_cut(110), (Cut{200, false}));
}

TEST(ClaimWord, TheWorkerStaysWithinWhatTheAttemptHolds) {
  ClaimWord word;
  std::uint64_t claimed = 0;
  word.reset(0);
  EXPECT_EQ(word.cut({50, true}, kHeld, claimed), 100u);
  word.reset(0);
  EXPECT_TRUE(word.claim(~std::uint64_t{0}));
  EXPECT_EQ(word.cut({50, true}, kHeld, claimed), 200u);
  word.reset(0);
  EXPECT_TRUE(word.claim(~std::uint64_t{0}));
  EXPECT_EQ(word.cut({50, true}, {100, kUnknownEnd}, claimed), kUnknownEnd);
  EXPECT_EQ(word.take_cut(0), (Cut{kUnknownEnd, true}));
}

// A runner that claims and maps some bytes at a time, as AttemptRun does, and counts how often each was mapped.
class ByteRunner {
 public:
  ByteRunner(ClaimWord& word, ByteRange range) : word_(word), points_(range), position_(range.begin) {
    mapped_.resize(range.size());
  }

  bool is_over() const { return points_.is_over(); }
  void step(std::uint64_t size, bool answers) {
    if (answers && word_.take_answer(claimed())) return;
    const ByteRange segment = points_.segment();
    const std::uint64_t end = std::min(position_ + size, segment.end);
    if (!word_.claim(end)) {
      const auto cut = word_.take_cut(claimed());
      if (!cut) return;
      points_.cut(segment.begin, true, cut->at, cut->release);
      ++cuts_;
      return;
    }
    while (position_ < end) ++mapped_[position_++];
    if (position_ == segment.end) points_.on_sealed();
  }
  int cuts() const { return cuts_; }  // of the worker's, that it has obeyed
  // Everything up to `end` was mapped once, and nothing else.
  bool has_mapped_up_to(std::uint64_t end) const {
    const auto border = mapped_.begin() + static_cast<std::ptrdiff_t>(end);
    return std::all_of(mapped_.begin(), border, [](int times) { return times == 1; }) &&
           std::all_of(border, mapped_.end(), [](int times) { return times == 0; });
  }

 private:
  std::uint64_t claimed() const { return std::max(position_, points_.segment().begin); }

  ClaimWord& word_;
  CutPoints points_;
  std::uint64_t position_;
  std::vector<int> mapped_;
  int cuts_ = 0;
};

RC_GTEST_PROP(ClaimWordProperty, InAnyOrderOfStepsEachByteIsMappedByTheOneWhoHasIt, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const std::uint64_t size = 1 + random() % 60;
  ClaimWord word;
  ByteRunner runner(word, {0, size});
  std::uint64_t claimed = 0;
  std::uint64_t end = size;  // by what the worker has answered
  while (!runner.is_over()) {
    switch (random() % 5) {
      case 0: {
        const Cut cut{random() % (size + 2), random() % 2 == 0};
        const auto at = word.cut(cut, {0, end}, claimed);
        if (at && cut.release) end = *at;
        break;
      }
      case 1:
        if (!word.is_cut()) word.expect_answer();
        break;
      default:
        runner.step(1 + random() % 8, random() % 6 == 0);
    }
  }
  RC_ASSERT(runner.has_mapped_up_to(end));
}

TEST(ClaimWord, TwoThreadsAgreeOnEveryByte) {
  int cuts = 0;
  for (std::uint64_t seed = 1; seed <= 500 || cuts < 100; ++seed) {
    ClaimWord word;
    const ByteRange range{0, 400};
    ByteRunner runner(word, range);
    std::thread maps([&, random = std::mt19937_64(seed)]() mutable {
      while (!runner.is_over()) runner.step(1 + random() % 3, random() % 16 == 0);
    });
    std::mt19937_64 random(~seed);
    std::uint64_t claimed = 0;
    std::uint64_t end = range.end;
    for (int i = 0; i < 20; ++i) {
      if (!word.is_cut()) word.expect_answer();
      const Cut cut{random() % 400, random() % 8 == 0};
      const auto at = word.cut(cut, {0, end}, claimed);
      if (at && cut.release) end = *at;
    }
    maps.join();
    cuts += runner.cuts();
    ASSERT_TRUE(runner.has_mapped_up_to(end)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ontime::worker
