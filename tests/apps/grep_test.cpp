#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <regex>

#include "tests/apps/texts.h"
#include "tests/support/temporary_directory.h"

namespace ontime::apps::test {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

std::string grep(std::string_view text, const Given& given, const Division& division = {}) {
  const app::Application& grep = application("grep");
  TestContext context = context_of(grep, given);
  grep.validate(context);
  std::string answer;
  for (const std::string& part : map_text(grep, context, text, division)) answer += part;
  return answer;
}

std::string counted(std::string_view text, Given given, const Division& division = {}) {
  const app::Application& grep = application("grep");
  given["count"] = "yes";
  TestContext context = context_of(grep, given);
  const std::string answer = merge(grep, context, map_text(grep, context, text, division));
  EXPECT_EQ(answer, context.path + "\t" + std::to_string(context.counters["grep,records"]) + "\n");
  return answer;
}

std::string refusal(const Given& given) {
  const app::Application& grep = application("grep");
  try {
    grep.validate(context_of(grep, given));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

// A line at a time, by another library.
struct GrepReference {
  std::string lines, marked, matches, others, marked_others;
  std::uint64_t count = 0;

  GrepReference(const std::string& text, const std::regex& pattern) {
    std::uint64_t offset = 0;
    for (const std::string& whole : records_of(text, 0)) {
      const std::string line = whole.ends_with('\r') ? whole.substr(0, whole.size() - 1) : whole;
      const std::string mark = "/some/where/input.txt:" + std::to_string(offset) + ":";
      const bool is_match = std::regex_search(line, pattern);
      count += is_match ? 1 : 0;
      (is_match ? lines : others) += whole + "\n";
      (is_match ? marked : marked_others) += mark + whole + "\n";
      for (auto at = std::sregex_iterator(line.begin(), line.end(), pattern); at != std::sregex_iterator(); ++at) {
        if (at->length() > 0)
          matches += std::to_string(offset + static_cast<std::uint64_t>(at->position())) + ":" + at->str() + "\n";
      }
      offset += whole.size() + 1;
    }
  }
};

TEST(Grep, FindsTheLinesThatAnotherLibraryFindsHoweverTheyAreDivided) {
  const std::vector<std::string> patterns{"ab",  "a",   "^a",       "b$",   "^$", "a.*b", "[^a]b",
                                          "b c", "a|c", "(a|b)\\b", "\\sb", "x*", "c+a"};
  EXPECT_TRUE(rc::check([&] {
    const auto piece = rc::gen::elementOf(std::vector<std::string>{"a", "b", "ab", "c", " ", "\n", "\n", "\r\n"});
    std::string text;
    for (const auto& part : *rc::gen::scale(2, rc::gen::container<std::vector<std::string>>(piece))) text += part;
    if (*rc::gen::arbitrary<bool>()) std::erase(text, '\r');
    const Division division = *any_division();
    const std::string pattern = *rc::gen::elementOf(patterns);
    const GrepReference expected(text, std::regex(pattern));
    RC_ASSERT(grep(text, {{"pattern", pattern}}, division) == expected.lines);
    RC_ASSERT(grep(text, {{"pattern", pattern}, {"with", "offset,file"}}, division) == expected.marked);
    RC_ASSERT(grep(text, {{"pattern", pattern}, {"only", "yes"}, {"with", "offset"}}, division) == expected.matches);
    RC_ASSERT(grep(text, {{"pattern", pattern}, {"invert", "yes"}}, division) == expected.others);
    RC_ASSERT(grep(text, {{"pattern", pattern}, {"invert", "yes"}, {"with", "file,offset"}}, division) ==
              expected.marked_others);
    if (!text.empty()) {
      RC_ASSERT(counted(text, {{"pattern", pattern}}, division) ==
                "/some/where/input.txt\t" + std::to_string(expected.count) + "\n");
    }
  }));
}

TEST(Grep, ReadsPatternsAsTextsWordsAndWithoutCase) {
  const std::string text = "a.b\naxb\nA.B\n.com x\nacom\nx_.com\n";
  EXPECT_EQ(grep(text, {{"pattern", "a.b"}, {"fixed", "yes"}}), "a.b\n");
  EXPECT_EQ(grep(text, {{"pattern", "a.b"}, {"fixed", "yes"}, {"ignore-case", "yes"}}), "a.b\nA.B\n");
  EXPECT_EQ(grep(text, {{"pattern", "axb\nA\\.B"}}), "axb\nA.B\n");
  EXPECT_EQ(grep(text, {{"pattern", ".com"}, {"fixed", "yes"}, {"word", "yes"}}), ".com x\n");  // as GNU grep -w
  EXPECT_EQ(grep("foo foo,foo foobar\n", {{"pattern", "foo"}, {"word", "yes"}, {"only", "yes"}}), "foo\nfoo\nfoo\n");
  EXPECT_EQ(grep("foo\nbar\n", {{"pattern", "\\Abar\\z"}}), "bar\n");
  EXPECT_EQ(grep("foo\nbar\n", {{"pattern", "(?-m:^bar$)"}}), "bar\n");
  EXPECT_EQ(grep("foo\nbar\n", {{"pattern", "o\\C"}}), "foo\n");
}

TEST(Grep, ACharacterIsOneOfUtf8UnlessItIsAByte) {
  const std::string text = "\xc3\xa9t\xc3\xa9\n\xff\n";
  EXPECT_EQ(grep(text, {{"pattern", "^.t.$"}}), "\xc3\xa9t\xc3\xa9\n");
  EXPECT_EQ(grep(text, {{"pattern", "\xc3\x89T"}, {"ignore-case", "yes"}}), "\xc3\xa9t\xc3\xa9\n");
  EXPECT_EQ(grep(text, {{"pattern", "^.$"}}), "");
  EXPECT_EQ(grep(text, {{"pattern", "^.$"}, {"bytes", "yes"}}), "\xff\n");
  EXPECT_EQ(grep(text, {{"pattern", "\\xff"}, {"bytes", "yes"}}), "\xff\n");
  EXPECT_EQ(grep(text, {{"pattern", "\xff"}, {"fixed", "yes"}}), "\xff\n");
}

TEST(Grep, ARecordIsWhatTheJobSays) {
  const auto of = [](const std::string& records, std::string_view text, Given given) {
    const auto format = std::move(records::make_format(records)).value();
    return grep(text, given, {.batches = {0}, .cuts = {1}, .format = format.get()});
  };
  EXPECT_EQ(of("csv", "a,\"b\nc\"\r\nb,c\r\nc,d\n", {{"pattern", "b\nc"}, {"bytes", "no"}}),
            "a,\"b\nc\"\r\nb,c\r\nc,d\n");  // two patterns
  EXPECT_EQ(of("csv", "a,\"b\nc\"\r\nb,c\r\nc,d\n", {{"pattern", "b\\nc"}}), "a,\"b\nc\"\r\n");
  EXPECT_EQ(of("paragraph", "a\nb\n\nc\n\nb\n", {{"pattern", "b"}}), "a\nb\n\nb\n");
  EXPECT_EQ(of("delimiter:;", "ab;c;b", {{"pattern", "b"}, {"with", "offset"}}), "0:ab\n5:b\n");
  EXPECT_EQ(of("json", "{\"a\": \n1}  {\"b\":2}{\"a\":3}", {{"pattern", "\"a\""}}), "{\"a\": \n1}\n{\"a\":3}\n");
  EXPECT_EQ(of("fixed:3", "abcabdxyz", {{"pattern", "^ab"}, {"invert", "yes"}}), "xyz\n");
  EXPECT_EQ(of("fastq", "@a\nAC\n+\nII\n@b\nGT\n+\nII\n", {{"pattern", "^GT$"}}), "");
  EXPECT_EQ(of("fastq", "@a\nAC\n+\nII\n@b\nGT\n+\nII\n", {{"pattern", "(?m)^GT$"}}), "@b\nGT\n+\nII\n");
  EXPECT_EQ(of("xml:p", "<p>a</p><p>b</p>", {{"pattern", "b"}, {"only", "yes"}, {"with", "offset"}}), "11:b\n");
}

TEST(Grep, TakesPatternsOutOfAFileAndKeepsItsTextToItself) {
  const ontime::test::TemporaryDirectory directory;
  std::ofstream(directory / "patterns") << "b\r\n^c$";
  EXPECT_EQ(grep("a\nab\nc\ncd\n", {{"patterns", directory / "patterns"}}), "ab\nc\n");
  EXPECT_EQ(grep("a\nab\nc\ncd\n", {{"patterns", directory / "patterns"}, {"pattern", "d"}}), "ab\nc\ncd\n");
  std::ofstream(directory / "wrong") << "a\nsecret)";
  const std::string refused = refusal({{"patterns", directory / "wrong"}});
  EXPECT_EQ(refused,
            "line 2 of the file of patterns '" + (directory / "wrong") + "' is none that RE2 knows: unexpected )");
  EXPECT_EQ(refusal({{"patterns", directory / "none"}}), "none");  // a worker may have it
  EXPECT_THROW(grep("a\n", {{"patterns", directory / "none"}}), std::invalid_argument);
}

TEST(Grep, RefusesWhatItCannotUse) {
  EXPECT_EQ(refusal({{"pattern", "a(b"}}), "the pattern \"a(b\" is none that RE2 knows: missing ): a(b");
  EXPECT_EQ(refusal({{"pattern", "a(b"}, {"fixed", "yes"}}), "none");
  EXPECT_NE(refusal({{"pattern", "\xff"}}).find("invalid UTF-8"), std::string::npos);
  EXPECT_NE(refusal({}).find("--set pattern=PATTERN"), std::string::npos);
  EXPECT_NE(refusal({{"pattern", "a"}, {"with", "line"}}).find("not \"line\""), std::string::npos);
  EXPECT_NE(refusal({{"pattern", "a"}, {"only", "yes"}, {"invert", "yes"}}).find("invert=yes"), std::string::npos);
  EXPECT_NE(refusal({{"pattern", "a"}, {"count", "maybe"}}).find("yes or no"), std::string::npos);
}

}  // namespace
}  // namespace ontime::apps::test
