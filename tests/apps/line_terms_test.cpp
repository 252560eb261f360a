#include "apps/termvector/line_terms.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/apps/texts.h"
#include "tests/apps/tiny_tables.h"

namespace ontime::apps {
namespace {

TEST(SortKeys, SortsWithAnyInstructionSet) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(0, kMaxKeys + 1);
    const auto drawn = *rc::gen::unique<std::vector<std::int64_t>>(size, rc::gen::arbitrary<std::int64_t>());
    std::vector<std::int64_t> expected = drawn;
    std::sort(expected.begin(), expected.end());
    for (const InstructionSet set : instruction_sets()) {
      std::vector<std::int64_t> keys = drawn, sorted(size + kKeysAtOnce);
      keys.resize(size + kKeysAtOnce);
      sort_keys(keys.data(), sorted.data(), size, set);
      sorted.resize(size);
      RC_ASSERT(sorted == expected);
    }
  }));
}

// All that fits, in as many steps as given, of a text that goes on far enough behind it.
std::string terms_of(const std::string& words, std::size_t step) {
  const std::string text = words + std::string(LineTerms::kReadable, ' ');
  LineTerms terms;
  WordScanner scanner(text);
  for (auto found = scanner.next(); !found.empty(); found = scanner.next()) {
    while (!found.empty()) {
      const auto some = found.first(std::min(step, found.size()));
      EXPECT_EQ(terms.take(text, some, text.size()), some.size());
      found = found.subspan(some.size());
    }
  }
  test::TightOutput out;
  terms.write(out);
  return out.text();
}

// Few letters, so that words are equal or begin alike.
TEST(LineTerms, AreMostFrequentFirstAndThenInTheOrderOfTheirBytes) {
  EXPECT_TRUE(rc::check([] {
    const auto letters = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab\xff\0", 4)));
    std::string words;
    const auto count = *rc::gen::inRange<std::size_t>(1, LineTerms::kMaxWords + 1);
    for (std::size_t i = 0; i < count; ++i) {
      words +=
          *rc::gen::elementOf(std::vector<std::string>{"", "x", "abcdef", "abcdefghijklmnopqr"}) + "_" + *letters + " ";
    }
    std::string expected;
    std::vector<std::pair<std::int64_t, std::string>> terms;
    for (const auto& [word, times] : test::counts_of(words))
      terms.emplace_back(-static_cast<std::int64_t>(times), word);
    std::sort(terms.begin(), terms.end());
    for (const auto& [times, word] : terms)
      expected += (expected.empty() ? "" : " ") + word + ":" + std::to_string(-times);
    RC_ASSERT(terms_of(words, *rc::gen::elementOf(std::vector<std::size_t>{1, 5, 1000})) == expected);
  }));
}

TEST(LineTerms, TakeWhatThereIsRoomForAndWhatCanBeRead) {
  std::string text;
  for (std::size_t i = 0; i < LineTerms::kMaxWords + 20; ++i) text += "w ";
  WordScanner scanner(text);
  const auto words = scanner.next();
  ASSERT_EQ(words.size(), LineTerms::kMaxWords + 20);
  LineTerms terms;
  EXPECT_EQ(terms.take(text, words, 7), 4u) << "those that begin before byte 7";
  EXPECT_EQ(terms.take(text, words.subspan(4), text.size()), LineTerms::kMaxWords - 4);
  terms.clear();
  EXPECT_TRUE(terms.words().empty());
  EXPECT_EQ(terms.take(std::string_view(text).substr(0, 20), words, 20), 3u) << "sixteen bytes can be read";
  EXPECT_EQ(terms.take(std::string_view(text).substr(0, 15), words, 15), 0u);
}

}  // namespace
}  // namespace ontime::apps
