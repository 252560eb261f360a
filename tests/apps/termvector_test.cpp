#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "tests/apps/texts.h"

namespace ontime::apps::test {
namespace {

using Documents = std::map<std::string, Counts>;

Documents documents_of(std::string_view text, const std::string& file) {
  Documents documents;
  for (const app::Line line : app::Lines(text, 0)) {
    const std::size_t tab = line.text.find('\t');
    const bool has_key = tab != std::string_view::npos;
    const std::string key = has_key ? std::string(line.text.substr(0, tab)) : file;
    for (const std::string& word : words_of(has_key ? line.text.substr(tab) : line.text)) ++documents[key][word];
  }
  return documents;
}

// The answer as it should read.
std::string lines_of(const Documents& documents, std::uint64_t cutoff = 0) {
  std::string lines;
  for (const auto& [key, counts] : documents) {
    std::vector<std::pair<std::string, std::uint64_t>> terms(counts.begin(), counts.end());
    std::stable_sort(terms.begin(), terms.end(), [](auto& a, auto& b) { return a.second > b.second; });
    std::string value;
    for (const auto& [term, count] : terms) {
      if (count >= cutoff) value += (value.empty() ? "" : " ") + term + ":" + std::to_string(count);
    }
    if (!value.empty()) lines += key + '\t' + value + '\n';
  }
  return lines;
}

std::string vectors_of(std::string_view text, const std::string& cutoff = "0", const Division& division = {}) {
  const app::Application& termvector = application("termvector");
  TestContext context = context_of(termvector, {{"cutoff", cutoff}});
  return merge(termvector, context, map_text(termvector, context, text, division));
}

// Few keys, so that documents go on over lines and come again.
rc::Gen<std::string> any_documents() {
  const auto key = rc::gen::elementOf(
      std::vector<std::string>{"a\t", "a\t", "b\t", "\t", "host with blanks\t", "c:1\t", "", "\r\t"});
  const auto line =
      rc::gen::map(rc::gen::pair(key, any_text()), [](auto both) { return both.first + both.second + "\n"; });
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(line), [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& part : lines) text += part;
    return text;
  });
}

TEST(TermVector, TheMergedAnswerIsRightWhereverTheTextIsDivided) {
  const app::Application& termvector = application("termvector");
  TestContext context = context_of(termvector);
  const auto mapper = termvector.make_mapper();
  mapper->setup(context);
  EXPECT_TRUE(rc::check([&] {
    const std::string text = *any_documents();
    RC_ASSERT(merge(termvector, context, map_text(*mapper, text, *any_division())) ==
              lines_of(documents_of(text, "input.txt")));
  }));
}

TEST(TermVector, CutoffDropsRareTermsOfTheMergedAnswerOnly) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *any_documents();
    const auto cutoff = *rc::gen::inRange<std::uint64_t>(0, 6);
    RC_ASSERT(vectors_of(text, std::to_string(cutoff), *any_division()) ==
              lines_of(documents_of(text, "input.txt"), cutoff));
  }));
}

TEST(TermVector, SortsByCountThenByBytes) {
  EXPECT_EQ(vectors_of("host\tb a c b \xff B abcdefgz abcdefga ab a:2 b\n"),
            "host\tb:3 B:1 a:1 a:2:1 ab:1 abcdefga:1 abcdefgz:1 c:1 \xff:1\n");
}

TEST(TermVector, LinesInARowWithOneKeyAreOneDocument) {
  const app::Application& termvector = application("termvector");
  TestContext context = context_of(termvector);
  const auto outputs = map_text(termvector, context, "h\tx y\nh\ty\ni\tx\nh\tz\n", {.batches = {0}, .cuts = {}});
  EXPECT_EQ(outputs, (std::vector<std::string>{"h\ty:2 x:1\ni\tx:1\nh\tz:1\n"}));
}

TEST(TermVector, LinesWithoutATabBelongToTheirFile) {
  const app::Application& termvector = application("termvector");
  TestContext context = context_of(termvector);
  context.path = "/odd\nplace/odd\tname\n.txt";
  EXPECT_EQ(map_text(termvector, context, "a b\r\nb\n"), (std::vector<std::string>{"odd_name_.txt\tb:2 a:1\n"}));
}

TEST(TermVector, AnEmptyKeyIsAKey) { EXPECT_EQ(vectors_of("\ta\nx\tb\n\ta\n"), "\ta:2\nx\tb:1\n"); }

TEST(TermVector, ADocumentWithoutTermsIsLeftOut) {
  EXPECT_EQ(vectors_of("h\t \r\n\n  \ni\tx\n"), "i\tx:1\n");
  EXPECT_EQ(vectors_of("h\tx x y\ni\ty\n", "2"), "h\tx:2\n");
}

TEST(TermVector, LargeDocumentsComeInPiecesThatTheMergePutsTogether) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) {
    text += (i % 7 == 0 ? "averylongwordthatstandsnowherein" : "w") + std::to_string(i % 260'000) +
            (i % 9 == 0 ? '\n' : ' ');
  }
  EXPECT_EQ(vectors_of(text, "0", {.batches = {10, 5000, 20'000}, .cuts = {30'000}}),
            lines_of(documents_of(text, "input.txt")));
}

TEST(TermVector, LinesWithMoreTermsThanTheSmallTableHoldsAreRight) {
  std::string text;
  for (const int terms : {1, 31, 32, 33, 255, 256, 257, 1000}) {
    text += "key" + std::to_string(terms) + '\t';
    for (int i = 0; i < terms; ++i) text += "t" + std::to_string(i * i) + ' ' + (i % 3 == 0 ? "t1 " : "");
    text += '\n';
  }
  EXPECT_EQ(vectors_of(text), lines_of(documents_of(text, "")));
}

TEST(TermVector, CountsTooLargeForSortingKeysAreSortedAll) {
  std::string text = "h\t";
  for (int i = 0; i < 1000; ++i) text += i < 300 ? "few " : i < 700 ? "more " : "a ";
  for (int i = 0; i < 200; ++i) text += "more b ";
  EXPECT_EQ(vectors_of(text + "\n"), "h\tmore:600 a:300 few:300 b:200\n");
}

TEST(TermVector, RefusesToMergeWhatItCannotHaveWritten) {
  const app::Application& termvector = application("termvector");
  const TestContext context = context_of(termvector);
  EXPECT_THROW(merge(termvector, context, {"a\tx:1\n", "a\ty\n"}), std::runtime_error);
  EXPECT_THROW(merge(termvector, context, {"a\tx:1\n", "a\ty:\n"}), std::runtime_error);
  EXPECT_THROW(merge(termvector, context, {"a\tx:18446744073709551615\n", "a\tx:1\n"}), std::runtime_error);
}

TEST(TermVector, RefusesACutoffThatIsNoNumber) {
  const app::Application& termvector = application("termvector");
  for (const char* const cutoff : {"", "-1", "two", "1.5", "3 "}) {
    EXPECT_THROW(termvector.validate(context_of(termvector, {{"cutoff", cutoff}})), std::invalid_argument) << cutoff;
  }
}

}  // namespace
}  // namespace ontime::apps::test
