// The formats of records: whatever the records are and wherever ranges are cut, each record comes once, in order, and
// is what was written; read plain and compressed, in blocks of any size.
#include "tests/worker/data/record_formats.h"

#include <gtest/gtest.h>

namespace ontime::worker {
namespace {

TEST_F(RecordFormats, Delimiters) {
  for (const std::string delimiter : {";", "\r", "<>", "aa", "abab", "\n\n", "aabaa"})
    expect_records("delimiter:" + delimiter, [&](Random& random) { return write_delimited(random, delimiter); });
}

TEST_F(RecordFormats, Paragraphs) { expect_records("paragraph", write_paragraphs); }
TEST_F(RecordFormats, ACarriageReturnAtTheEndIsNoParagraph) {
  write_file(directory_.file("plain"), "a\n\n\r");
  const InputFile plain = describe(directory_.file("plain"));
  for (std::uint64_t at = 0; at < 4; ++at)
    expect_whole("paragraph", {"a\n\n\r", {"a"}}, plain, {0, at, 4}, RecordReader::kBlockBytes);
}
TEST_F(RecordFormats, Csv) { expect_records("csv", write_csv); }
TEST_F(RecordFormats, Json) {
  expect_records("json", [](Random& random) { return write_json(random, false); });
}
// So some begin wherever a step of the scanner does.
TEST_F(RecordFormats, JsonArrays) {
  expect_records("json:array", [](Random& random) { return write_json(random, true); });
}
TEST_F(RecordFormats, Fastq) { expect_records("fastq", write_fastq); }
TEST_F(RecordFormats, Warc) { expect_records("warc", write_warc); }
TEST_F(RecordFormats, Xml) { expect_records("xml:page", write_xml); }

// Rows of few bytes without a quote for long stretches, and long ones that are all quotes' content.
TEST_F(RecordFormats, WhereNoQuoteIsNearThoseOfCsvAreFoundByTheLengthOfTheLongest) {
  constexpr std::uint64_t kLongest = 20'000;
  Random random(1);
  Written written;
  for (int i = 0; i < 12'000; ++i) {
    const bool is_long = i % 4000 == 3999;
    const std::string row =
        is_long ? "1,\"" + words_of(random, {"a,b\n", "c\n", "\"\"\n"}, 5000) + "\"" : std::to_string(i) + ",x";
    written.records.push_back(row);
    written.content += row + "\n";
  }
  const std::uint64_t size = written.content.size();
  write_file(directory_.file("plain"), written.content);
  const InputFile plain = describe(directory_.file("plain"));
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t at = pick(random, size);
    ASSERT_NO_FATAL_FAILURE(expect_whole("csv", written, plain, {0, at, size}, RecordReader::kBlockBytes, kLongest));
  }
}

// An attempt that began inside would read all that lies before: a fast mapper took 1.5 times as long when files were
// divided.
TEST_F(RecordFormats, WhatIsToldFromTheBeginIsNotDivided) {
  write_file(directory_.file("input"), "1 2 3 4 5 6\n");
  for (const std::string format : {"json:array", "warc", "lines"}) {
    auto reader = RecordReader::open(describe(directory_.file("input")), rule_of(format), 0);
    ASSERT_TRUE(reader);
    EXPECT_EQ(*(*reader)->align(4, 10), 10u) << format;
  }
  for (const std::string format : {"json", "delimiter: "}) {
    auto reader = RecordReader::open(describe(directory_.file("input")), rule_of(format), 0);
    EXPECT_EQ(*(*reader)->align(3, 10), 4u) << format;
  }
}

TEST_F(RecordFormats, AHeaderIsKnownWhereverReadingBeginsAndIsNoRecord) {
  write_file(directory_.file("plain"), "\"na\nme\",size\r\na,1\nb,2\n");
  write_file(directory_.file("gzip"), gzip("\"na\nme\",size\r\na,1\nb,2\n"));
  for (const InputFile& file : {describe(directory_.file("plain")), describe(directory_.file("gzip"), Codec::Gzip)}) {
    for (std::uint64_t begin = 0; begin < 24; ++begin) {
      auto reader = RecordReader::open(file, rule_of("csv:header=yes"), begin, 4);
      ASSERT_TRUE(reader);
      EXPECT_EQ((*reader)->header(), "\"na\nme\",size");
      Texts found;
      ASSERT_NO_FATAL_FAILURE(read(file, rule_of("csv:header=yes"), {begin, kUnknownEnd}, 4, found));
      EXPECT_EQ(found, begin <= 14 ? (Texts{"a,1", "b,2"}) : begin <= 18 ? Texts{"b,2"} : Texts{}) << begin;
    }
  }
}

TEST_F(RecordFormats, ABrokenRecordIsNamedByItsFileAndByte) {
  const auto failure = [&](const std::string& format, const std::string& content) {
    write_file(directory_.file("input"), content);
    auto reader = RecordReader::open(describe(directory_.file("input")), rule_of(format), 0, 4);
    for (;;) {
      auto block = reader ? (*reader)->next(content.size()) : Outcome<RecordBlock>(reader.error());
      if (!block) return block.error().kind == FaultKind::BadRecord ? block.error().message : "another fault";
      if (block->records == 0) return std::string("none");
    }
  };
  const auto expect = [&](const std::string& format, const std::string& content, int byte, const std::string& why) {
    const std::string where = "the record at byte " + std::to_string(byte) + " of " + directory_.file("input") + " ";
    EXPECT_EQ(failure(format, content).substr(0, where.size()), where) << failure(format, content);
    EXPECT_NE(failure(format, content).find(why), std::string::npos) << failure(format, content);
  };
  expect("csv", "a,b\nc,d\"e\n", 4, "at byte 7 there is a quote inside a field");
  expect("csv", "a,b\n\"c\"d\n", 4, "something between a field's quotes and its end");
  expect("csv", "a,b\n\"c\nd", 4, "the file ends inside its quotes");
  expect("json", "{\"a\":1}\n{\"b\":[2}\n", 8, "at byte 15 stands '}' where another bracket is open");
  // What would mislead an attempt that begins inside.
  expect("json", "{}{\"b\":\"1\n2\"}", 2, "at byte 9 a line ends inside a string");
  expect("json", "{} \"1\\\n2\"", 3, "at byte 6 a line ends inside a string");
  expect("json", "{}[1, \\\"\"]", 2, "at byte 6 stands a backslash outside of a string");
  expect("json", "{} t\\\" \"", 3, "at byte 4 stands a backslash outside of a string");
  for (const std::string inner : {"1 2", "1 \"2\"", "\"1\" 2", "1[]", "[]2", "{}\n {}", "\"\"   \"\""})
    expect("json", "{}[" + inner + "]", 2, "a value follows another without a comma");
  expect("json", "{}[1, a]", 2, "at byte 6 stands 'a' where a value begins");
  expect("json", "{} a", 3, "stands 'a' where a value begins");
  expect("json:array", "[1, [2 3]]", 4, "a value follows another without a comma");
  expect("json", "1 }", 2, "stands '}' where a value begins");
  expect("json", "{\"a\": \"", 0, "the file ends inside it");
  expect("json:array", "{}", 0, "the file does not begin with [");
  expect("json:array", "[1, 2", 4, "an array that does not end");
  expect("json:array", "[1 2]", 1, "followed by '2' at byte 3");
  expect("json:array", "[1] 2", 1, "that something follows, at byte 4");
  expect("json:array", "[", 0, "does not end");
  expect("fastq", "@a\nAC\n+\nII\n@b\nAC\n+\nI\n", 11, "its sequence has 2 letters and its quality 1");
  expect("fastq", "@a\nAC\n+\nII\nb\nAC\n+\nII\n", 11, "its first line begins with @");
  expect("fastq", "@a\nAC\n", 0, "ends after 2 of its 4 lines");
  expect("warc", "WARC/1.0\r\nContent-Length: 2\r\n\r\nabc\r\n\r\n", 0, "not followed by two line ends");
  expect("warc", "WARC/1.0\r\nX: 2\r\n\r\nab\r\n\r\n", 0, "no Content-Length");
  expect("warc", "WARC/1.0\r\nContent-Length: 20\r\n\r\nab", 0, "its content has 20 bytes");
  expect("warc", "HTTP/1.1 200 OK\r\n", 0, "does not begin with WARC/");
  expect("xml:a", "<a>1</a> <a>2", 9, "there is no </a>");
  expect("fixed:4", "aaaabb", 4, "has 2 bytes instead of 4");
}

TEST_F(RecordFormats, ARecordAboveTheLimitIsRefusedInEachFormat) {
  const std::string long_text(3000, 'x');
  for (const auto& [format, content] :
       std::vector<std::pair<std::string, std::string>>{{"lines", long_text + "\n"},
                                                        {"delimiter:;", long_text + ";"},
                                                        {"paragraph", long_text + "\n\n"},
                                                        {"csv", "\"" + long_text + "\"\n"},
                                                        {"json", "\"" + long_text + "\""},
                                                        {"json:array", "[\"" + long_text + "\"]"},
                                                        {"xml:a", "<a>" + long_text + "</a>"},
                                                        {"fastq", "@a\n" + long_text + "\n+\n" + long_text + "\n"}}) {
    write_file(directory_.file("input"), content);
    for (const std::size_t block : {4u, 1u << 17}) {
      auto reader = RecordReader::open(describe(directory_.file("input")), rule_of(format, 2000), 0, block);
      ASSERT_TRUE(reader);
      auto next = (*reader)->next(content.size());
      if (next && next->records == 0) next = (*reader)->next(content.size());
      ASSERT_FALSE(next) << format;
      EXPECT_NE(next.error().message.find("--max-record"), std::string::npos) << next.error().message;
    }
  }
}

TEST_F(RecordFormats, OfAnElementOfAnArrayAMapperIsShownTheValueAlone) {
  const auto array = std::move(records::make_format("json:array")).value();
  EXPECT_EQ(array->text("[1, [2]] , "), "[1, [2]]");
  EXPECT_EQ(array->text("[1, [2]]]\n"), "[1, [2]]");
  EXPECT_EQ(array->text("\"a,]\"\n]"), "\"a,]\"");
  EXPECT_EQ(std::move(records::make_format("json")).value()->text("{\"a\": [1]} \n"), "{\"a\": [1]}");
}

TEST(RecordFormatNames, ThatCannotBeAreRefusedInASentence) {
  for (const auto& [name, why] :
       std::vector<std::pair<std::string, std::string>>{{"parquet", "There are no records 'parquet'; choose lines"},
                                                        {"fixed:0", "Records of a fixed size"},
                                                        {"fixed:x", "Records of a fixed size"},
                                                        {"delimiter:", "1 to 64 bytes"},
                                                        {"delimiter:\\q", "1 to 64 bytes"},
                                                        {"delimiter:" + std::string(65, 'x'), "1 to 64 bytes"},
                                                        {"csv:header=maybe", "csv takes"},
                                                        {"csv:delimiter=ab", "csv takes"},
                                                        {"json:x", "json:array"},
                                                        {"xml", "name of an element"},
                                                        {"xml:a b", "name of an element"},
                                                        {"lines:x", "takes no argument"},
                                                        {"warc:x", "takes no argument"}}) {
    const auto made = records::make_format(name);
    ASSERT_FALSE(made) << name;
    EXPECT_NE(made.error().message.find(why), std::string::npos) << made.error().message;
  }
  for (const std::string name : {"", "csv:delimiter=\\t,header=yes", "csv:delimiter=,", "csv:delimiter=,,header=no",
                                 "delimiter=\\x00", "fixed=7"})
    EXPECT_TRUE(records::make_format(name)) << name;
}

}  // namespace
}  // namespace ontime::worker
