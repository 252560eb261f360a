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
void expect_ranges(const std::string& format, const InputFile& file, const Written& written, Random& random) {
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t size = written.content.size();
    const std::uint64_t at = pick(random, size);
    const std::uint64_t then = at + pick(random, size - at + 1);
    Texts found;
    for (const ByteRange range : {ByteRange{0, at}, ByteRange{at, then}, ByteRange{then, size}})
      ASSERT_NO_FATAL_FAILURE(read(file, rule_of(format), range, 64, found));
    ASSERT_EQ(found, written.records) << at << " " << then;
  }
}

// What reading shows that knows no places.
struct FirstPass {
  std::vector<StartPoint> starts;
  std::vector<std::uint64_t> begins;  // of the records, and the end
  std::uint64_t content_bytes = 0;

  std::uint64_t begin_behind(std::uint64_t at) const { return *std::lower_bound(begins.begin(), begins.end(), at); }
};
FirstPass first_pass(const std::string& format, const InputFile& file) {
  FirstPass pass;
  InputAccess access;
  access.notes = {[&](StartPoint start) { pass.starts.push_back(std::move(start)); },
                  [&](std::uint64_t bytes) { pass.content_bytes = bytes; }, 1};
  auto reader = RecordReader::open(file, rule_of(format), 0, 64, access);
  const std::uint64_t end = file.codec == Codec::Plain ? file.size : kUnknownEnd;
  for (auto block = (*reader)->next(end); block && block->records > 0; block = (*reader)->next(end))
    for (const app::Record record : block->batch.records()) pass.begins.push_back(record.offset);
  pass.begins.push_back((*reader)->position());
  return pass;
}

// Those without a window. Each is marked where the next record begins.
std::vector<AccessPoint> points_of(const FirstPass& pass) {
  std::vector<AccessPoint> points;
  for (const StartPoint& start : pass.starts) {
    EXPECT_EQ(records::marked_at(start.point), pass.begin_behind(start.point.content));
    if (!start.point.needs_window()) points.push_back(start.point);
  }
  return points;
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
    ASSERT_NO_FATAL_FAILURE(expect_ranges("warc", file, written, random)) << seed;
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
  const FirstPass pass = first_pass("warc", file);
  ASSERT_EQ(pass.content_bytes, written.content.size());
  file.points = points_of(pass);
  EXPECT_GT(file.points.size(), 5u);
  file.content_bytes = pass.content_bytes;
  ASSERT_NO_FATAL_FAILURE(expect_ranges("warc", file, written, random));
  file.points.clear();
  file.content_bytes = 0;
  for (const StartPoint& start : pass.starts) {
    file.start = start;
    const std::uint64_t from = pass.begin_behind(start.point.content) + 1;
    Texts found;
    ASSERT_NO_FATAL_FAILURE(read(file, rule_of("warc"), {from, kUnknownEnd}, 64, found));
    const auto first = std::lower_bound(pass.begins.begin(), pass.begins.end(), from) - pass.begins.begin();
    EXPECT_EQ(found, Texts(written.records.begin() + std::min<std::ptrdiff_t>(first, written.records.size()),
                           written.records.end()));
    found.clear();
    ASSERT_NO_FATAL_FAILURE(read(file, rule_of("lines"), {from, kUnknownEnd}, 64, found));
  }
}

// In a store, for example, where nobody hops from head to head, and where records do not say how long they are.
TEST_F(RecordBegins, AFirstReaderMarksAPlainFile) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    for (const std::string format : {"warc", "json:array"}) {
      const Written written = format == "warc" ? write_warc(random) : write_json(random, true);
      write_file(directory_.file("plain"), written.content);
      InputFile file = describe(directory_.file("plain"));
      const FirstPass pass = first_pass(format, file);
      EXPECT_EQ(pass.content_bytes, written.content.size());
      file.points = points_of(pass);
      EXPECT_EQ(file.points.size(), pass.starts.size());
      for (const AccessPoint& point : file.points) EXPECT_EQ(point.content, point.stored);
      EXPECT_GE(file.points.size() * 64 + 64, std::min<std::size_t>(written.records.size(), 128));
      ASSERT_NO_FATAL_FAILURE(expect_ranges(format, file, written, random)) << seed;
      EXPECT_TRUE(first_pass(format, file).starts.empty()) << "they are known";
      EXPECT_TRUE(first_pass("lines", file).starts.empty()) << "lines need none";
    }
  }
}

// Its records begin behind the places where reading may.
TEST_F(RecordBegins, AFirstReaderMarksACompressedArray) {
  Random random(5);
  Written written{"[", {}};
  for (int i = 0; i < 4000; ++i) {
    written.records.push_back("{\"n\":" + std::to_string(random()) + ",\"a\":[" + std::to_string(random()) + "]}");
    written.content += (i > 0 ? "," : "") + written.records.back();
  }
  written.content += "]";
  std::string members;
  for (std::size_t at = 0; at < written.content.size(); at += 7000) members += gzip(written.content.substr(at, 7000));
  write_file(directory_.file("gzip"), members);
  InputFile file = describe(directory_.file("gzip"), Codec::Gzip);
  const FirstPass pass = first_pass("json:array", file);
  file.points = points_of(pass);
  EXPECT_GT(file.points.size(), 20u);
  file.content_bytes = pass.content_bytes;
  ASSERT_NO_FATAL_FAILURE(expect_ranges("json:array", file, written, random));
  file.points.clear();  // its headers tell how much it holds, and no marks: those are found out too
  EXPECT_EQ(first_pass("json:array", file).starts.size(), pass.starts.size());
  EXPECT_TRUE(first_pass("lines", file).starts.empty());
}

TEST_F(RecordBegins, WhatIsFarFromAPlaceIsNotMarked) {
  AccessPoint point{1000, 10, 0, {}};
  records::put_mark(point, records::kElementBegins, 1000 + records::kDistanceMost + 1);
  EXPECT_EQ(point, (AccessPoint{1000, 10, 0, {}}));
  records::put_mark(point, records::kElementBegins, 1000 + records::kDistanceMost);
  EXPECT_EQ(records::marked_at(point, records::kElementBegins), 1000 + records::kDistanceMost);
  EXPECT_FALSE(records::marked_at(point, records::kWarcBegins));
}

}  // namespace
}  // namespace ontime::worker
