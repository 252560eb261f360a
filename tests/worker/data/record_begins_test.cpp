// Where records begin that cannot be told from any place: what JSON shows of it, and what an index marks.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "master/inputs/input_index.h"
#include "tests/worker/data/record_formats.h"

namespace ontime::worker {
namespace {

using master::ReadAt;

class RecordBegins : public RecordFormats {};

// So some begin wherever a step of the scanner does.
TEST_F(RecordBegins, ManyJsonDocumentsOnALineAreCutAnywhere) {
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

TEST_F(RecordBegins, JsonWithoutLinesIsToldFromNear) {
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

TEST_F(RecordBegins, WhatStandsBeforeManyBlanksTellsWhetherAJsonDocumentFollows) {
  const Written written{"[1," + std::string(6000, '\n') + "2]\n{}", {"[1," + std::string(6000, '\n') + "2]", "{}"}};
  write_file(directory_.file("plain"), written.content);
  for (const std::uint64_t at : {5000u, 5998u, 6003u, 6005u, 6006u})
    ASSERT_NO_FATAL_FAILURE(
        expect_whole("json", written, describe(directory_.file("plain")), {0, at, written.content.size()}, 4096));
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

TEST_F(RecordBegins, WarcBeginsAtMarksOfTheHeads) {
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
TEST_F(RecordBegins, AnAttemptReadsWarcFromTheMarkBefore) {
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

TEST_F(RecordBegins, AWrongMarkIsAnErrorAndNoAnswer) {
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

TEST_F(RecordBegins, MembersOfWarcAreMarkedWhereARecordBegins) {
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

}  // namespace
}  // namespace ontime::worker
