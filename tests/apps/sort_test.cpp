#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>

#include "tests/apps/texts.h"

namespace ontime::apps::test {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

std::string sorted(std::string_view text, const Given& given = {}, const Division& division = {}) {
  const app::Application& sort = application("sort");
  TestContext context = context_of(sort, given);
  return sorted(sort, context, map_text(sort, context, text, division));
}

std::string field(const std::string& line, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < number && begin != std::string::npos; ++i) {
    const std::size_t tab = line.find('\t', begin);
    begin = tab == std::string::npos ? tab : tab + 1;
  }
  return begin == std::string::npos ? "" : line.substr(begin, line.find('\t', begin) - begin);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

TEST(Sort, TheAnswerIsTheSortedLinesWhereverTheTextIsDivided) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *any_text();
    auto lines = records_of(text, 0);
    std::sort(lines.begin(), lines.end());
    RC_ASSERT(sorted(text, {}, *any_division()) == joined(lines));
    std::reverse(lines.begin(), lines.end());
    RC_ASSERT(sorted(text, {{"reverse", "yes"}}, *any_division()) == joined(lines));
  }));
}

TEST(Sort, SortsByAFieldAndThenByTheLine) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *any_text();
    const auto number = *rc::gen::inRange<std::size_t>(1, 4);
    auto lines = records_of(text, 0);
    std::sort(lines.begin(), lines.end(), [&](const std::string& a, const std::string& b) {
      return std::pair(field(a, number), a) < std::pair(field(b, number), b);
    });
    RC_ASSERT(sorted(text, {{"key", std::to_string(number)}}, *any_division()) == joined(lines));
  }));
}

TEST(Sort, SortsByNumbers) {
  const std::string text = "b\t10\na\t9\nc\t-1.5\nd\nx\t1e3\ny\t-1.25\nz\t9.0\n";
  EXPECT_EQ(sorted(text, {{"key", "2"}, {"numeric", "yes"}}), "c\t-1.5\ny\t-1.25\nd\nx\t1e3\na\t9\nz\t9.0\nb\t10\n");
  EXPECT_EQ(sorted(text, {{"key", "2"}, {"numeric", "yes"}, {"reverse", "yes"}}),
            "b\t10\nz\t9.0\na\t9\nx\t1e3\nd\ny\t-1.25\nc\t-1.5\n");
}

TEST(Sort, KeepsEveryByteOfALineAndEndsTheLastOne) {
  EXPECT_EQ(sorted("b\r\n\na\t\t\na"), "\na\na\t\t\nb\r\n");
  EXPECT_EQ(sorted(""), "");
}

TEST(Sort, RefusesParametersThatMeanNothing) {
  const app::Application& sort = application("sort");
  for (const Given& given : {Given{{"key", "0"}}, Given{{"key", "-1"}}, Given{{"key", ""}}, Given{{"key", "1,2"}},
                             Given{{"numeric", "maybe"}}, Given{{"reverse", ""}}}) {
    EXPECT_THROW(sort.validate(context_of(sort, given)), std::invalid_argument);
  }
  EXPECT_NO_THROW(sort.validate(context_of(sort, {{"key", "7"}, {"numeric", "yes"}, {"reverse", "yes"}})));
}

}  // namespace
}  // namespace ontime::apps::test
