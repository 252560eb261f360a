#include "master/base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "common/base/utf8.h"

namespace ontime::master {
namespace {

TEST(Text, KnowsWellFormedUtf8) {
  for (const char* good : {"", "plain", "ü", "€", "😀", "\x7f", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good));
  for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
                          "a\xc3(", "\xf0\x80\x80\xaf"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
}

TEST(Text, ShowsWhatCannotBeShownAsQuestionMarks) {
  EXPECT_EQ(readable("a\tb\nü"), "a\tb\nü");
  EXPECT_EQ(readable("\u009b31mx\u202ey\u2066"), "?31mx?y?") << "terminals act on these, too";
  EXPECT_EQ(readable(std::string_view("a\0b\x1b[31m\r\xff", 10)), "a?b?[31m??");
}

TEST(Text, KeepsTheEndFromALineStartOn) {
  EXPECT_EQ(readable_tail("short", 10), "short");
  EXPECT_EQ(readable_tail("first line\nsecond line\nthird\n", 15), "third\n");
  EXPECT_EQ(readable_tail("one very long line without an end", 8), "t an end");
  EXPECT_EQ(readable_tail("üüüü", 3), "ü");
}

TEST(Text, KeepsTheLastLines) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last_lines("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(last_lines("\n\n", 1), "\n");
  for (const std::string text : {"", "\n", "a", "a\nb\n"}) EXPECT_EQ(last_lines(text, 2), text);
}

RC_GTEST_PROP(TextProperty, ReadableIsAlwaysUtf8AndStable, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const std::string text = readable(bytes);
  RC_ASSERT(is_utf8(text));
  RC_ASSERT(readable(text) == text);
  RC_ASSERT(is_utf8(readable_tail(bytes, 5)));
}

}  // namespace
}  // namespace ontime::master
