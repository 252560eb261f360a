#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

#include "apps/text/word_scanner.h"
#include "tests/apps/texts.h"

namespace ontime::apps::test {
namespace {

WordTotals totals_of(std::string_view text) {
  WordTotals totals;
  for (const std::string& word : words_of(text)) {
    ++totals.words;
    totals.bytes += word.size();
    for (const char c : word) totals.code_points += (c & 0xc0) != 0x80;
  }
  return totals;
}

std::string mean_of(std::string_view text, const std::string& unit, const Division& division = {}) {
  const app::Application& wordmean = application("wordmean");
  TestContext context = context_of(wordmean, {{"unit", unit}});
  return merge(wordmean, context, map_text(wordmean, context, text, division));
}

TEST(WordTotals, AreRightForAnyTextWithAnyInstructionSet) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *any_text();
    WordTotals expected = totals_of(text);
    for (const InstructionSet set : instruction_sets()) {
      RC_ASSERT(count_totals(text, true, set) == expected);
    }
    expected.code_points = 0;
    for (const InstructionSet set : instruction_sets()) {
      RC_ASSERT(count_totals(text, false, set) == expected);
    }
  }));
}

// More blocks than a byte can count, with a word, or none, wherever one may be.
TEST(WordTotals, AreRightForLongTexts) {
  const auto repeated = [](std::string_view piece) {
    std::string text;
    while (text.size() < 100'000) text += piece;
    return text;
  };
  for (const std::string& text :
       {repeated("a "), repeated(" a"), repeated("a"), repeated(" "), repeated("word \xc3\xa9\n")}) {
    WordTotals expected = totals_of(text);
    for (const InstructionSet set : instruction_sets()) EXPECT_EQ(count_totals(text, true, set), expected);
    expected.code_points = 0;
    for (const InstructionSet set : instruction_sets()) EXPECT_EQ(count_totals(text, false, set), expected);
  }
}

TEST(WordMean, TheMergedAnswerIsRightWhereverTheTextIsDivided) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *any_text();
    const WordTotals totals = totals_of(text);
    RC_PRE(totals.words > 0);
    const std::string bytes = mean_of(text, "bytes", *any_division());
    RC_ASSERT(bytes.starts_with("count\t" + std::to_string(totals.words) + "\nlength\t" + std::to_string(totals.bytes) +
                                "\nmean\t"));
    const std::string points = mean_of(text, "codepoints", *any_division());
    RC_ASSERT(points.find("\nlength\t" + std::to_string(totals.code_points) + "\n") != std::string::npos);
    RC_ASSERT(std::strtod(bytes.c_str() + bytes.rfind('\t') + 1, nullptr) ==
              static_cast<double>(totals.bytes) / static_cast<double>(totals.words));
  }));
}

TEST(WordMean, PrintsSeventeenSignificantDigits) {
  EXPECT_EQ(mean_of("a bb cc\n", "bytes"), "count\t3\nlength\t5\nmean\t1.6666666666666667\n");
  EXPECT_EQ(mean_of("aa bb\n", "bytes"), "count\t2\nlength\t4\nmean\t2\n");
}

TEST(WordMean, CountsCodePointsWhenAsked) {
  EXPECT_EQ(mean_of("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x8c\x8d\n", "bytes"),
            "count\t3\nlength\t13\nmean\t4.333333333333333\n");
  EXPECT_EQ(mean_of("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x8c\x8d\n", "codepoints"),
            "count\t3\nlength\t7\nmean\t2.3333333333333335\n");
}

TEST(WordMean, NoWordsHaveNoMean) { EXPECT_EQ(mean_of(" \n\n", "bytes"), "count\t0\nlength\t0\nmean\tnan\n"); }

TEST(WordMean, RefusesAnUnknownUnit) {
  const app::Application& wordmean = application("wordmean");
  EXPECT_THROW(wordmean.validate(context_of(wordmean, {{"unit", "furlongs"}})), std::invalid_argument);
  EXPECT_NO_THROW(wordmean.validate(context_of(wordmean)));
}

TEST(WordMean, RefusesToMergeWhatItCannotHaveWritten) {
  const app::Application& wordmean = application("wordmean");
  EXPECT_THROW(merge(wordmean, context_of(wordmean), {"words\t1\n"}), std::runtime_error);
  EXPECT_THROW(merge(wordmean, context_of(wordmean), {"count\tmany\n"}), std::runtime_error);
}

}  // namespace
}  // namespace ontime::apps::test
