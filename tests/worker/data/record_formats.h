#pragma once
// What is written in each format of records, and how tests read it again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/worker/data/input_files.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {

using namespace test;

using Random = std::mt19937_64;
using Texts = std::vector<std::string>;

struct Written {
  std::string content;
  Texts records;  // as a mapper is shown them
};

inline std::size_t pick(Random& random, std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
}

// Of words that are made of what a format reacts to, and some that are not.
inline std::string words_of(Random& random, const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t left = pick(random, most + 1); left > 0; --left) text += words[pick(random, words.size())];
  return text;
}

// ---- writers of each format ----

inline Written write_delimited(Random& random, const std::string& delimiter) {
  Written written;
  const std::size_t records = 1 + pick(random, 200);
  // Greedily, from the left: what is written may hold pieces of the delimiter, and the record is what comes out.
  for (std::size_t i = 0; i < records; ++i)
    written.content += words_of(random, {"a", "bc", delimiter.substr(0, 1), delimiter.substr(1), ""}, 6) + delimiter;
  if (pick(random, 2) == 0) written.content += "rest";
  for (std::size_t at = 0; at < written.content.size();) {
    const std::size_t end = std::min(written.content.find(delimiter, at), written.content.size());
    written.records.push_back(written.content.substr(at, end - at));
    at = end + delimiter.size();
  }
  return written;
}

inline Written write_paragraphs(Random& random) {
  Written written;
  const std::vector<std::string> ends{"\n", "\r\n"};
  const auto empty_lines = [&](std::size_t least) {
    for (std::size_t n = least + pick(random, 3); n > 0; --n) written.content += ends[pick(random, 2)];
  };
  empty_lines(0);
  const std::size_t records = 1 + pick(random, 200);
  for (std::size_t i = 0; i < records; ++i) {
    const std::string end = ends[pick(random, 2)];
    std::string record = "x" + words_of(random, {"a", " ", "\r"}, 3) + "y";
    for (std::size_t lines = pick(random, 3); lines > 0; --lines)
      record += end + "z" + words_of(random, {"b", "\t"}, 4) + "z";
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
inline Written write_csv(Random& random) {
  Written written;
  const std::size_t records = 1 + pick(random, pick(random, 4) == 0 ? 3000 : 300);
  const bool has_quotes = pick(random, 4) > 0;
  const std::string end = pick(random, 2) == 0 ? "\n" : "\r\n";
  for (std::size_t i = 0; i < records; ++i) {
    std::string row;
    for (std::size_t field = 0, fields = 1 + pick(random, 4); field < fields; ++field) {
      if (field > 0) row += ",";
      if (has_quotes && pick(random, 2) == 0)
        row += "\"" + words_of(random, {"\"\"", ",", "\n", "\r\n", "a", "\"\",\"\"", "\"\"\n\"\""}, 6) + "\"";
      else
        row += words_of(random, {"a", "bc", " ", "1"}, 4);
    }
    written.records.push_back(row);
    written.content += row;
    if (i + 1 < records || row.empty() || pick(random, 2) == 0) written.content += end;
  }
  return written;
}

inline std::string json_value(Random& random, int depth) {
  const auto space = [&] { return words_of(random, {" ", "\n", "\t"}, 1); };
  switch (pick(random, depth > 3 ? 3 : 5)) {
    case 0:
      return "-12.5e3";
    case 1:
      return "null";
    case 2:
      return "\"" + words_of(random, {"\\\"", "\\\\", "{", "}", "[", "]", ",", "a", "\\u0022"}, 5) + "\"";
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

inline const std::string kLongString(5000, 'x');  // farther back than a search for a begin looks at first

inline Written write_json(Random& random, bool is_array) {
  Written written;
  const char* const feed = pick(random, 4) > 0 ? "\n" : " ";  // some have no lines at all
  const auto space = [&](std::size_t least) {
    return words_of(random, {" ", feed, std::string("\r") + feed}, 2) + (least > 0 ? feed : "");
  };
  written.content = space(0) + (is_array ? "[" : "") + space(0);
  const std::size_t records = is_array ? pick(random, 200) : 1 + pick(random, 200);
  for (std::size_t i = 0; i < records; ++i) {
    const std::string value = i > 0 || pick(random, 4) == 0 ? json_value(random, 0) : '"' + kLongString + '"';
    const bool needs_space = i > 0 && (value == "null" || value[0] == '-') && std::isalnum(written.content.back()) != 0;
    if (i > 0) written.content += is_array ? space(0) + "," + space(0) : space(needs_space ? 1 : 0);
    written.records.push_back(value);
    written.content += written.records.back();
  }
  written.content += space(0) + (is_array ? "]" : "") + space(0);
  return written;
}

inline Written write_fastq(Random& random) {
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

inline Written write_warc(Random& random) {
  Written written;
  const std::size_t records = 1 + pick(random, 60);
  for (std::size_t i = 0; i < records; ++i) {
    const std::string content =
        words_of(random, {"WARC/1.0\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n", "\r\n\r\n", "x", "\n"}, 5);
    const std::string name = pick(random, 2) == 0 ? "Content-Length:" : "content-length: ";
    const std::string record =
        "WARC/1.0\r\nWARC-Type: response\r\n" + name + std::to_string(content.size()) + "\r\n\r\n" + content;
    written.records.push_back(record);
    written.content += record + "\r\n\r\n";
  }
  return written;
}

inline Written write_xml(Random& random) {
  Written written{"<?xml version=\"1.0\"?>\n<pages n=\"1\">" + words_of(random, {"</page>", "<p>", " "}, 3), {}};
  const std::size_t records = pick(random, pick(random, 4) == 0 ? 3000 : 120);
  for (std::size_t i = 0; i < records; ++i) {
    std::string record = "<page" + words_of(random, {" a='>'", "\n b=\"/>\""}, 1);
    record += pick(random, 5) == 0
                  ? "/>"
                  : ">" + words_of(random, {"x", "<page>", "<pages>", "</pages>", "\n"}, 5) + "</page >";
    written.records.push_back(record);
    written.content += record + words_of(random, {" ", "\n", "junk", "<pagex>", "</page>"}, 3);
  }
  written.content += "</pages>";
  return written;
}

// ---- reading ----

inline RecordRule rule_of(const std::string& format, std::uint64_t longest = 64u << 20) {
  auto made = records::make_format(format);
  EXPECT_TRUE(made) << made.error().message;
  return {std::move(*made), longest};
}

inline void read(const InputFile& file, const RecordRule& rule, ByteRange range, std::size_t block, Texts& to) {
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

}  // namespace ontime::worker
