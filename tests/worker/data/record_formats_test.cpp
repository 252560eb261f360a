// The formats of records: whatever the records are and wherever ranges are cut, each record comes once, in order, and
// is what was written; read plain and compressed, in blocks of any size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <random>

#include "master/inputs/input_index.h"
#include "tests/worker/data/input_files.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {
namespace {

using namespace test;

using master::ReadAt;
using Random = std::mt19937_64;
using Texts = std::vector<std::string>;

struct Written {
  std::string content;
  Texts records;  // as a mapper is shown them
};

std::size_t pick(Random& random, std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
}

// Of words that are made of what a format reacts to, and some that are not.
std::string text_of(Random& random, const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t left = pick(random, most + 1); left > 0; --left) text += words[pick(random, words.size())];
  return text;
}

// ---- writers of each format ----

Written write_delimited(Random& random, const std::string& delimiter) {
  Written written;
  const std::size_t records = 1 + pick(random, 200);
  // Greedily, from the left: what is written may hold pieces of the delimiter, and the record is what comes out.
  for (std::size_t i = 0; i < records; ++i)
    written.content += text_of(random, {"a", "bc", delimiter.substr(0, 1), delimiter.substr(1), ""}, 6) + delimiter;
  if (pick(random, 2) == 0) written.content += "rest";
  for (std::size_t at = 0; at < written.content.size();) {
    const std::size_t end = std::min(written.content.find(delimiter, at), written.content.size());
    written.records.push_back(written.content.substr(at, end - at));
    at = end + delimiter.size();
  }
  return written;
}

Written write_paragraphs(Random& random) {
  Written written;
  const std::vector<std::string> ends{"\n", "\r\n"};
  const auto empty_lines = [&](std::size_t least) {
    for (std::size_t n = least + pick(random, 3); n > 0; --n) written.content += ends[pick(random, 2)];
  };
  empty_lines(0);
  const std::size_t records = 1 + pick(random, 200);
  for (std::size_t i = 0; i < records; ++i) {
    const std::string end = ends[pick(random, 2)];
    std::string record = "x" + text_of(random, {"a", " ", "\r"}, 3) + "y";
    for (std::size_t lines = pick(random, 3); lines > 0; --lines)
      record += end + "z" + text_of(random, {"b", "\t"}, 4) + "z";
    written.records.push_back(record);
    written.content += record;
    if (i + 1 < records || pick(random, 2) == 0) {
      written.content += end;
      empty_lines(i + 1 < records ? 1 : 0);
    }
  }
  return written;
}

// Fields that hold what rows and quotes are made of.
Written write_csv(Random& random) {
  Written written;
  const std::size_t records = 1 + pick(random, pick(random, 4) == 0 ? 3000 : 300);
  const bool has_quotes = pick(random, 4) > 0;
  const std::string end = pick(random, 2) == 0 ? "\n" : "\r\n";
  for (std::size_t i = 0; i < records; ++i) {
    std::string row;
    for (std::size_t field = 0, fields = 1 + pick(random, 4); field < fields; ++field) {
      if (field > 0) row += ",";
      if (has_quotes && pick(random, 2) == 0)
        row += "\"" + text_of(random, {"\"\"", ",", "\n", "\r\n", "a", "\"\",\"\"", "\"\"\n\"\""}, 6) + "\"";
      else
        row += text_of(random, {"a", "bc", " ", "1"}, 4);
    }
    written.records.push_back(row);
    written.content += row;
    if (i + 1 < records || row.empty() || pick(random, 2) == 0) written.content += end;
  }
  return written;
}

std::string json_value(Random& random, int depth) {
  const auto space = [&] { return text_of(random, {" ", "\n", "\t"}, 1); };
  switch (pick(random, depth > 3 ? 3 : 5)) {
    case 0:
      return "-12.5e3";
    case 1:
      return "null";
    case 2:
      return "\"" + text_of(random, {"\\\"", "\\\\", "{", "}", "[", "]", ",", "a", "\\u0022"}, 5) + "\"";
    case 3: {
      std::string array = "[" + space();
      for (std::size_t i = 0, n = pick(random, 4); i < n; ++i)
        array += (i > 0 ? "," : "") + space() + json_value(random, depth + 1) + space();
      return array + "]";
    }
    default: {
      std::string object = "{" + space();
      for (std::size_t i = 0, n = pick(random, 4); i < n; ++i)
        object += std::string(i > 0 ? "," : "") + "\"k}\":" + space() + json_value(random, depth + 1) + space();
      return object + "}";
    }
  }
}

const std::string kLongString(5000, 'x');  // farther back than a search for a begin looks at first

Written write_json(Random& random, bool is_array) {
  Written written;
  const char* const feed = pick(random, 4) > 0 ? "\n" : " ";  // some have no lines at all
  const auto space = [&](std::size_t least) {
    return text_of(random, {" ", feed, std::string("\r") + feed}, 2) + (least > 0 ? feed : "");
  };
  written.content = space(0) + (is_array ? "[" : "") + space(0);
  const std::size_t records = is_array ? pick(random, 200) : 1 + pick(random, 200);
  for (std::size_t i = 0; i < records; ++i) {
    const std::string value = i > 0 || pick(random, 4) == 0 ? json_value(random, 0) : '"' + kLongString + '"';
    const bool needs_space = (value == "null" || value[0] == '-') && std::isalnum(written.content.back()) != 0;
    if (i > 0) written.content += is_array ? space(0) + "," + space(0) : space(needs_space ? 1 : 0);
    written.records.push_back(value);
    written.content += written.records.back();
  }
  written.content += space(0) + (is_array ? "]" : "") + space(0);
  return written;
}

Written write_fastq(Random& random) {
  Written written;
  const std::size_t records = 1 + pick(random, 200);
  const std::string end = pick(random, 3) == 0 ? "\r\n" : "\n";
  for (std::size_t i = 0; i < records; ++i) {
    const std::size_t size = 1 + pick(random, 12);
    std::string sequence;
    std::string quality;
    for (std::size_t k = 0; k < size; ++k) {
      sequence += "ACGTN"[pick(random, 5)];
      quality += "@+I#A"[pick(random, 5)];
    }
    const std::string record = "@r" + std::to_string(i) + end + sequence + end + "+" + end + quality;
    written.records.push_back(record);
    written.content += record + (i + 1 < records || pick(random, 2) == 0 ? end : "");
  }
  return written;
}

Written write_warc(Random& random) {
  Written written;
  const std::size_t records = 1 + pick(random, 60);
  for (std::size_t i = 0; i < records; ++i) {
    const std::string content =
        text_of(random, {"WARC/1.0\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n", "\r\n\r\n", "x", "\n"}, 5);
    const std::string name = pick(random, 2) == 0 ? "Content-Length:" : "content-length: ";
    const std::string record =
        "WARC/1.0\r\nWARC-Type: response\r\n" + name + std::to_string(content.size()) + "\r\n\r\n" + content;
    written.records.push_back(record);
    written.content += record + "\r\n\r\n";
  }
  return written;
}

Written write_xml(Random& random) {
  Written written{"<?xml version=\"1.0\"?>\n<pages n=\"1\">" + text_of(random, {"</page>", "<p>", " "}, 3), {}};
  const std::size_t records = pick(random, pick(random, 4) == 0 ? 3000 : 120);
  for (std::size_t i = 0; i < records; ++i) {
    std::string record = "<page" + text_of(random, {" a='>'", "\n b=\"/>\""}, 1);
    record += pick(random, 5) == 0
                  ? "/>"
                  : ">" + text_of(random, {"x", "<page>", "<pages>", "</pages>", "\n"}, 5) + "</page >";
    written.records.push_back(record);
    written.content += record + text_of(random, {" ", "\n", "junk", "<pagex>", "</page>"}, 3);
  }
  written.content += "</pages>";
  return written;
}

// ---- reading ----

RecordRule rule_of(const std::string& format, std::uint64_t longest = 64u << 20) {
  auto made = records::make_format(format);
  EXPECT_TRUE(made) << made.error().message;
  return {std::move(*made), longest};
}

void read(const InputFile& file, const RecordRule& rule, ByteRange range, std::size_t block, Texts& to) {
  auto reader = RecordReader::open(file, rule, range.begin, block);
  ASSERT_TRUE(reader) << reader.error().message << " at " << range.begin;
  for (;;) {
    auto next = (*reader)->next(range.end);
    ASSERT_TRUE(next) << next.error().message;
    if (next->records == 0) return;
    std::uint64_t records = 0;
    for (const app::Record record : next->batch.records()) {
      ASSERT_LT(record.offset, range.end);
      to.emplace_back(record.text);
      ++records;
    }
    ASSERT_EQ(records, next->records);
  }
}

class RecordFormats : public testing::Test {
 protected:
  void expect_whole(const std::string& format, const Written& written, const InputFile& file,
                    const std::vector<std::uint64_t>& cuts, std::size_t block, std::uint64_t longest = 64u << 20) {
    Texts found;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      ASSERT_NO_FATAL_FAILURE(read(file, rule_of(format, longest), {cuts[i], cuts[i + 1]}, block, found));
    for (std::size_t i = 0; i < std::min(found.size(), written.records.size()); ++i)
      ASSERT_EQ(found[i], written.records[i])
          << format << ", record " << i << ", cut at " << testing::PrintToString(cuts);
    ASSERT_EQ(found.size(), written.records.size()) << format << ", cut at " << testing::PrintToString(cuts);
  }

  // Small ones cut at each place, large ones at random ones.
  void expect_records(const std::string& format, const std::function<Written(Random&)>& write) {
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      Random random(seed);
      const Written written = write(random);
      const std::uint64_t size = written.content.size();
      write_file(directory_.file("plain"), written.content);
      const InputFile plain = describe(directory_.file("plain"));
      const std::size_t block = std::vector<std::size_t>{1, 7, 64, RecordReader::kBlockBytes}[pick(random, 4)];
      for (std::uint64_t i = 0; i < 30; ++i) {
        const std::uint64_t at = size <= 30 ? std::min(i, size) : pick(random, size);
        const std::uint64_t then = at + pick(random, size - at + 1);
        ASSERT_NO_FATAL_FAILURE(expect_whole(format, written, plain, {0, at, then, size}, block)) << "seed " << seed;
      }
      write_file(directory_.file("gzip"), gzip(written.content));
      const std::uint64_t at = pick(random, size);
      ASSERT_NO_FATAL_FAILURE(
          expect_whole(format, written, describe(directory_.file("gzip"), Codec::Gzip), {0, at, kUnknownEnd}, block));
    }
  }

  const TemporaryDirectory directory_;
};

TEST_F(RecordFormats, Delimiters) {
  for (const std::string delimiter : {";", "\r", "<>", "aa", "abab", "\n\n", "aabaa"})
    expect_records("delimiter:" + delimiter, [&](Random& random) { return write_delimited(random, delimiter); });
}

TEST_F(RecordFormats, Paragraphs) { expect_records("paragraph", write_paragraphs); }
TEST_F(RecordFormats, Csv) { expect_records("csv", write_csv); }
TEST_F(RecordFormats, Json) {
  expect_records("json", [](Random& random) { return write_json(random, false); });
}
// So some begin wherever a step of the scanner does.
TEST_F(RecordFormats, ManyJsonDocumentsOnALineAreCutAnywhere) {
  const std::string first = "{\"\\\\\": \"" + kLongString + "\\\"\"}";
  Written written{"\xef\xbb\xbf " + first + "\n", {first}};
  for (int i = 0; i < 100; ++i) {
    written.records.push_back(i % 3 == 0 ? "{}" : i % 3 == 1 ? "[]" : "\"\"");
    written.content += written.records.back();
  }
  write_file(directory_.file("plain"), written.content);
  const InputFile plain = describe(directory_.file("plain"));
  for (std::uint64_t at = kLongString.size(); at < written.content.size(); ++at)
    ASSERT_NO_FATAL_FAILURE(expect_whole("json", written, plain, {0, at, written.content.size()}, 4096));
}

TEST_F(RecordFormats, JsonWithoutLinesIsToldFromNear) {
  std::string first = "{\"key\": \"";
  for (int i = 0; i < 1000; ++i) first += "an escaped \\\" and {\\\\ ";
  first += "\"}";
  const std::string content = first + "{}[]" + first + first;
  const std::size_t end = first.size();
  for (std::size_t from = end - 200; from < end + 20; ++from) {
    const auto search =
        rule_of("json").format->find_begin({std::string_view(content).substr(from - 4096), from - 4096, true}, from);
    ASSERT_EQ(search.result, app::Search::Result::Found) << from;
    EXPECT_EQ(search.at, from <= end ? end : from <= end + 2 ? end + 2 : from <= end + 4 ? end + 4 : 2 * end + 4);
  }
}

TEST_F(RecordFormats, WhatStandsBeforeManyBlanksTellsWhetherAJsonDocumentFollows) {
  const Written written{"[1," + std::string(6000, '\n') + "2]\n{}", {"[1," + std::string(6000, '\n') + "2]", "{}"}};
  write_file(directory_.file("plain"), written.content);
  for (const std::uint64_t at : {5000u, 5998u, 6003u, 6005u, 6006u})
    ASSERT_NO_FATAL_FAILURE(
        expect_whole("json", written, describe(directory_.file("plain")), {0, at, written.content.size()}, 4096));
}

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
        is_long ? "1,\"" + text_of(random, {"a,b\n", "c\n", "\"\"\n"}, 5000) + "\"" : std::to_string(i) + ",x";
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

ReadAt reads(const std::string& content) {
  return [&content](char* to, std::size_t size, std::uint64_t offset) {
    return content.copy(to, size, static_cast<std::size_t>(offset));
  };
}

// As a test reads it: with the places that its index has.
void expect_ranges(const InputFile& file, const Written& written, Random& random) {
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t size = written.content.size();
    const std::uint64_t at = pick(random, size);
    const std::uint64_t then = at + pick(random, size - at + 1);
    Texts found;
    for (const ByteRange range : {ByteRange{0, at}, ByteRange{at, then}, ByteRange{then, size}})
      ASSERT_NO_FATAL_FAILURE(read(file, rule_of("warc"), range, 64, found));
    ASSERT_EQ(found, written.records) << at << " " << then;
  }
}

TEST_F(RecordFormats, WarcBeginsAtMarksOfTheHeads) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    const Written written = write_warc(random);
    write_file(directory_.file("plain"), written.content);
    InputFile file = describe(directory_.file("plain"));
    file.points =
        master::find_record_points(*rule_of("warc").format, file.size, reads(written.content), {256, 1000, 1});
    EXPECT_EQ(file.points.size(), written.records.size() - 1);
    ASSERT_NO_FATAL_FAILURE(expect_ranges(file, written, random)) << seed;
    auto reader = RecordReader::open(file, rule_of("warc"), 0);
    for (const AccessPoint& point : file.points) {
      EXPECT_EQ(*(*reader)->align(point.content - 1, file.size), point.content);
      EXPECT_EQ(*(*reader)->align(point.content, file.size), point.content);
      EXPECT_EQ(*(*reader)->align(point.content - 1, point.content - 1), point.content - 1);
    }
  }
}

// What lies before a mark is not looked at: here it is no WARC.
TEST_F(RecordFormats, AnAttemptReadsWarcFromTheMarkBefore) {
  Random random(1);
  Written written = write_warc(random);
  const auto points = master::find_record_points(*rule_of("warc").format, written.content.size(),
                                                 reads(written.content), {256, 1000, 1});
  const AccessPoint mark = points.at(points.size() / 2);
  std::fill_n(written.content.begin(), mark.content, 'x');
  write_file(directory_.file("plain"), written.content);
  InputFile file = describe(directory_.file("plain"));
  file.points = points;
  Texts found;
  ASSERT_NO_FATAL_FAILURE(read(file, rule_of("warc"), {mark.content + 1, kUnknownEnd}, 64, found));
  EXPECT_EQ(found, Texts(written.records.end() - static_cast<std::ptrdiff_t>(found.size()), written.records.end()));
  EXPECT_EQ(found.size(), written.records.size() - points.size() / 2 - 2);
}

TEST_F(RecordFormats, AWrongMarkIsAnErrorAndNoAnswer) {
  Random random(1);
  const Written written = write_warc(random);
  write_file(directory_.file("plain"), written.content);
  InputFile file = describe(directory_.file("plain"));
  const std::uint64_t wrong = written.content.find("WARC/", 1) + 1;
  file.points = {{wrong, wrong, records::kWarcBegins}};
  for (const std::uint64_t end : {wrong + 1, file.size}) {
    auto reader = RecordReader::open(file, rule_of("warc"), 0);
    auto block = (*reader)->next(end);
    while (block && block->records > 0) block = (*reader)->next(end);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error().kind, FaultKind::BadRecord);
    EXPECT_NE(block.error().message.find("index"), std::string::npos) << block.error().message;
  }
  file.points = {{wrong, wrong, 0}};  // none of a record's begin
  Texts found;
  ASSERT_NO_FATAL_FAILURE(read(file, rule_of("warc"), {0, file.size}, 64, found));
  EXPECT_EQ(found, written.records);
}

TEST_F(RecordFormats, MembersOfWarcAreMarkedWhereARecordBegins) {
  Random random(3);
  Written written = write_warc(random);
  std::string stored;
  std::size_t at = 0;
  for (const std::string& record : written.records) {
    const std::string whole = record + "\r\n\r\n";
    const std::size_t split = pick(random, 3) == 0 ? 1 + pick(random, whole.size() - 1) : whole.size();
    stored += gzip(whole.substr(0, split));
    if (split < whole.size()) stored += gzip(whole.substr(split));
    at += whole.size();
  }
  ASSERT_EQ(at, written.content.size());
  write_file(directory_.file("gzip"), stored);
  InputFile file = describe(directory_.file("gzip"), Codec::Gzip);
  std::vector<StartPoint> noted;
  InputAccess access;
  access.notes = {[&](StartPoint start) { noted.push_back(std::move(start)); }, {}, 1};
  auto reader = RecordReader::open(file, rule_of("warc"), 0, 4096, access);
  for (auto block = (*reader)->next(kUnknownEnd); block && block->records > 0;) block = (*reader)->next(kUnknownEnd);
  std::size_t marks = 0;
  for (const StartPoint& start : noted) {
    if (start.point.content == written.content.size()) continue;  // behind all
    const bool is_marked = (start.point.state & records::kWarcBegins) != 0;
    EXPECT_EQ(is_marked, !start.point.needs_window() && written.content.substr(start.point.content, 5) == "WARC/");
    marks += is_marked ? 1 : 0;
    if (!start.point.needs_window()) file.points.push_back(start.point);
  }
  EXPECT_GT(marks, 5u);
  EXPECT_GT(noted.size(), marks);
  file.content_bytes = written.content.size();
  ASSERT_NO_FATAL_FAILURE(expect_ranges(file, written, random));
  file.points.clear();
  file.content_bytes = 0;
  noted.pop_back();
  file.start = *std::find_if(noted.rbegin(), noted.rend(),
                             [](const StartPoint& one) { return (one.point.state & records::kWarcBegins) != 0; });
  Texts found;
  ASSERT_NO_FATAL_FAILURE(read(file, rule_of("warc"), {file.start->point.content + 1, kUnknownEnd}, 64, found));
  EXPECT_LT(found.size(), written.records.size() - 1);
  found.clear();
  ASSERT_NO_FATAL_FAILURE(read(file, rule_of("lines"), {file.start->point.content + 1, kUnknownEnd}, 64, found));
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
