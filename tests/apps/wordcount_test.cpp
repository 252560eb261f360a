#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/apps/texts.h"

namespace ontime::apps::test {
namespace {

std::string lines_of(const Counts& counts) {
  std::string lines;
  for (const auto& [word, count] : counts) lines += word + '\t' + std::to_string(count) + '\n';
  return lines;
}

TEST(WordCount, TheMergedAnswerIsRightWhereverTheTextIsDivided) {
  const app::Application& wordcount = application("wordcount");
  TestContext context = context_of(wordcount);
  const auto mapper = wordcount.make_mapper();  // one for all texts: tables are kept
  mapper->setup(context);
  EXPECT_TRUE(rc::check([&] {
    const std::string text = *any_text();
    RC_ASSERT(merge(wordcount, context, map_text(*mapper, text, *any_division())) == lines_of(counts_of(text)));
  }));
}

TEST(WordCount, WritesTheSameForTheSameSegment) {
  const app::Application& wordcount = application("wordcount");
  TestContext context = context_of(wordcount);
  const auto mapper = wordcount.make_mapper();
  mapper->setup(context);
  const std::string text = "to be or not to be\nthat is the question\n";
  const auto first = map_text(*mapper, text);
  map_text(*mapper, "whether tis nobler in the mind");
  EXPECT_EQ(map_text(*mapper, text), first);
  EXPECT_EQ(map_text(*mapper, text, {.batches = {0}, .cuts = {}}), first);
}

TEST(WordCount, CountsEachDistinctWordOfASegmentOnce) {
  const app::Application& wordcount = application("wordcount");
  TestContext context = context_of(wordcount);
  const auto outputs = map_text(wordcount, context, "a b\na c\nb a\n", {.batches = {1}, .cuts = {}});
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0], "a\t3\nb\t2\nc\t1\n");
}

TEST(WordCount, MoreDistinctWordsThanFitBecomeOutputEarly) {
  const app::Application& wordcount = application("wordcount");
  TestContext context = context_of(wordcount);
  std::string text;
  for (int i = 0; i < 350'000; ++i) text += "w" + std::to_string(i % 250'000) + '\n';
  const auto outputs = map_text(wordcount, context, text, {.batches = {1000, 100'000, 250'000}, .cuts = {}});
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(merge(wordcount, context, outputs), lines_of(counts_of(text)));
}

TEST(WordCount, AWordAsLongAsARecordMayBeIsCounted) {
  const app::Application& wordcount = application("wordcount");
  TestContext context = context_of(wordcount);
  const std::string word(64 << 20, 'w');
  EXPECT_EQ(merge(wordcount, context, map_text(wordcount, context, word + "\n" + word)), word + "\t2\n");
}

TEST(WordCount, RefusesToMergeWhatItCannotHaveWritten) {
  const app::Application& wordcount = application("wordcount");
  const TestContext context = context_of(wordcount);
  EXPECT_THROW(merge(wordcount, context, {"a\t1\n", "a\tx\n"}), std::runtime_error);
  EXPECT_THROW(merge(wordcount, context, {"a\t1\n", "a\t\n"}), std::runtime_error);
  EXPECT_THROW(merge(wordcount, context, {"a\t1\n", "a\t-1\n"}), std::runtime_error);
  EXPECT_THROW(merge(wordcount, context, {"a\t18446744073709551615\n", "a\t1\n"}), std::runtime_error);
}

}  // namespace
}  // namespace ontime::apps::test
