#include "apps/termvector/document.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/apps/texts.h"
#include "tests/apps/tiny_tables.h"

namespace ontime::apps {
namespace {

// What a document of several stretches of text writes, as values of its one key.
std::vector<std::string> values_of(const std::vector<std::string>& stretches) {
  Document document(test::kTinyTables);
  test::TightOutput out;
  document.begin("key", out);
  for (const std::string& stretch : stretches) {
    WordScanner scanner(stretch);
    for (auto words = scanner.next(); !words.empty(); words = scanner.next()) {
      EXPECT_EQ(document.add(stretch, words, stretch.size(), out), words.size());
    }
    document.forget_text(out);
  }
  document.end(out);
  const std::string written = out.text();
  std::vector<std::string> values;
  for (const app::Line line : app::Lines(written, 0)) {
    EXPECT_TRUE(line.text.starts_with("key\t"));
    values.emplace_back(line.text.substr(4));
  }
  return values;
}

TEST(Document, LosesNothingWhenTheLargeTableIsTooSmall) {
  EXPECT_TRUE(rc::check([] {
    const auto stretches = *rc::gen::container<std::vector<std::string>>(test::any_text());
    std::map<std::string, std::uint64_t> expected, counts;
    for (const std::string& stretch : stretches) {
      for (const auto& [word, count] : test::counts_of(stretch)) expected[word] += count;
    }
    for (const std::string& value : values_of(stretches)) {
      for (const std::string& term : test::words_of(value)) {
        const std::size_t colon = term.rfind(':');
        counts[term.substr(0, colon)] += std::stoull(term.substr(colon + 1));
      }
    }
    RC_ASSERT(counts == expected);
  }));
}

TEST(Document, NothingIsLeftAfterItsEnd) {
  Document document(test::kTinyTables);
  test::TightOutput out;
  document.begin("a", out);
  const std::string text = "x y x";
  WordScanner scanner(text);
  EXPECT_EQ(document.add(text, scanner.next(), 3, out), 2u);
  document.end(out);
  document.end(out);
  document.begin("b", out);
  document.end(out);
  EXPECT_EQ(out.text(), "a\tx:1 y:1\n");
}

}  // namespace
}  // namespace ontime::apps
