#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "worker/agent/runners/text.h"

namespace ontime::worker {
namespace {

TEST(StderrTail, ShowsLittleTextWhole) {
  StderrTail tail;
  tail.append("first\n");
  tail.append("second");
  EXPECT_EQ(tail.text(), "first\nsecond");
}

TEST(StderrTail, BeginsWithALineWhenOlderOnesWereDropped) {
  StderrTail tail;
  for (int i = 0; i < 100'000; ++i) tail.append("line " + std::to_string(i) + "\n");
  const std::string text = tail.text();
  EXPECT_LE(text.size(), StderrTail::kReportedBytesMax);
  EXPECT_EQ(text.rfind("line ", 0), 0u);
  EXPECT_EQ(text.substr(text.size() - 11), "line 99999\n");
}

TEST(StderrTail, ShowsTheEndOfOneEndlessLine) {
  StderrTail tail;
  tail.append(std::string(1u << 20, 'x'));
  EXPECT_EQ(tail.text(), std::string(StderrTail::kReportedBytesMax, 'x'));
}

TEST(StderrTail, ForgetsWhatTheAttemptBeforeWrote) {
  StderrTail tail;
  tail.append(std::string(100'000, 'x'));
  tail.clear();
  tail.append("new");
  EXPECT_EQ(tail.text(), "new");
}

RC_GTEST_PROP(StderrTailProperty, KeepsTheLastBytesHoweverTheyArrive, ()) {
  StderrTail tail;
  std::string all;
  const int pieces = *rc::gen::inRange(0, 12);
  for (int i = 0; i < pieces; ++i) {
    const std::string piece(*rc::gen::inRange<std::size_t>(0, 40'000), static_cast<char>('a' + i));
    tail.append(piece);
    all += piece;
  }
  const std::string text = tail.text();
  RC_ASSERT(tail.bytes_seen() == all.size());
  RC_ASSERT(text.size() ==
            std::min(all.size(), all.size() > StderrTail::kKeptBytesMax || all.size() > StderrTail::kReportedBytesMax
                                     ? StderrTail::kReportedBytesMax
                                     : all.size()));
  RC_ASSERT(all.ends_with(text));
}

}  // namespace
}  // namespace ontime::worker
