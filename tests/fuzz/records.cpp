// Inputs of jobs. What matters most: wherever a split is cut, each record is read once and none is lost.
#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "common/base/check.h"
#include "master/inputs/input_index.h"
#include "tests/fuzz/targets.h"
#include "worker/data/input_source.h"
#include "worker/data/record_reader.h"

namespace ontime::fuzz {
namespace {

using worker::RecordReader;
using worker::RecordRule;

constexpr std::uint64_t kUnpackedMax = 8u << 20;

worker::InputFile input(std::string_view bytes, Codec codec) {
  worker::InputFile file{file_with(bytes), bytes.size(), "", codec};
  struct stat status {};
  ONTIME_CHECK(::stat(file.path.c_str(), &status) == 0, "the file is there");
  file.version = files::version_of(status);
  return file;
}

struct Read {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::string texts;  // each with its offset
  bool failed = false;
};

Read read_range(const worker::InputFile& file, RecordRule rule, std::uint64_t begin, std::uint64_t end) {
  Read read;
  const auto reader = RecordReader::open(file, rule, begin, 64);
  read.failed = !reader;
  const std::uint64_t start = read.failed ? 0 : (*reader)->position();
  while (!read.failed) {
    const auto block = (*reader)->next(end);
    read.failed = !block;
    if (!block || block->records == 0) break;
    read.records += block->records;
    for (const app::Record record : block->batch.records())
      read.texts += std::to_string(record.offset) + ":" + std::string(record.text) + ";";
  }
  if (!read.failed) read.bytes = (*reader)->position() - std::min(start, (*reader)->position());
  return read;
}

// The first two bytes say where the rest is cut.
void feed_records(std::string_view bytes, RecordRule rule) {
  if (bytes.size() < 2) return;
  const std::uint64_t at = static_cast<unsigned char>(bytes[0]) + 256u * static_cast<unsigned char>(bytes[1]);
  bytes.remove_prefix(2);
  const std::uint64_t cut = bytes.empty() ? 0 : at % bytes.size();
  const worker::InputFile file = input(bytes, Codec::Plain);
  const Read whole = read_range(file, rule, 0, bytes.size());
  const Read below = read_range(file, rule, 0, cut);
  const Read above = read_range(file, rule, cut, bytes.size());
  if (whole.failed) return;
  ONTIME_CHECK(!below.failed && !above.failed, "what can be read at once can be read in parts");
  ONTIME_CHECK(whole.bytes == bytes.size(), "all of the input is read");
  ONTIME_CHECK(below.records + above.records == whole.records, "a cut neither loses nor repeats a record");
  ONTIME_CHECK(below.texts + above.texts == whole.texts, "a cut changes no record");
  const std::uint64_t mark = records::mark_of(*rule.format);
  if (mark == 0 || cut < 2) return;
  worker::InputFile marked = file;
  marked.points = {{cut - 1, cut - 1, mark, {}}};
  const Read before = read_range(marked, rule, 0, cut);
  const Read behind = read_range(marked, rule, cut, bytes.size());
  ONTIME_CHECK(before.failed || behind.failed || before.texts + behind.texts == whole.texts,
               "a wrong mark costs an error and not an answer");
}

void unpack(std::string_view bytes, Codec codec) {
  const auto opened = worker::open_input(input(bytes, codec));
  if (!opened) return;
  const auto source = worker::make_source(**opened);
  std::string buffer(64 << 10, '\0');
  for (std::uint64_t unpacked = 0; unpacked < kUnpackedMax;) {
    const auto size = source->read(buffer.data(), buffer.size());
    if (!size || *size == 0) return;
    ONTIME_CHECK(*size <= buffer.size(), "no more is read than there is room for");
    unpacked += *size;
  }
}

master::InputIndex first_pass(const worker::InputFile& file, std::vector<StartPoint>& starts) {
  master::InputIndex index;
  const auto opened = worker::open_input(file);
  if (!opened) return {};
  worker::InputNotes notes;
  notes.apart = 1;
  notes.on_end = [&](std::uint64_t end) { index.content_bytes = end; };
  notes.on_point = [&](StartPoint start) {
    if (starts.size() < 32) starts.push_back(std::move(start));
  };
  const auto source = worker::make_source(**opened, {.notes = notes});
  std::string buffer(64 << 10, '\0');
  for (std::uint64_t unpacked = 0; unpacked < kUnpackedMax;) {
    const auto size = source->read(buffer.data(), buffer.size());
    if (!size) return {};
    if (*size == 0) break;
    unpacked += *size;
  }
  for (const StartPoint& start : starts) index.points.push_back(start.point);
  return index;
}

// As its headers say, or a first pass has found; readers notice if they lie.
void divide(std::string_view bytes, Codec codec) {
  const auto read = [&](char* to, std::size_t size, std::uint64_t offset) {
    return offset < bytes.size() ? bytes.copy(to, size, static_cast<std::size_t>(offset)) : 0;
  };
  const auto kind = static_cast<Codec>(codec);
  master::InputIndex index = master::find_input_index(kind, bytes.size(), read, {64, 10'000, 1});
  std::vector<StartPoint> starts;
  if (index.content_bytes == 0) index = first_pass(input(bytes, codec), starts);
  if (index.content_bytes == 0 || index.content_bytes > kUnpackedMax) return;
  master::thin_out(index.points, 32);
  const worker::InputFile whole = input(bytes, codec);
  worker::InputFile divided = whole;
  divided.content_bytes = index.content_bytes;
  divided.points = index.points;
  index.points.push_back({index.content_bytes, 0});
  std::uint64_t begin = 0;
  std::uint64_t records = 0;
  for (const AccessPoint& point : index.points) {
    for (const StartPoint& start : starts) {
      if (start.point.content < begin) divided.start = start;
    }
    const Read part = read_range(divided, {}, begin, point.content);
    if (part.failed) return;
    records += part.records;
    begin = point.content;
  }
  const Read all = read_range(whole, {}, 0, kUnknownEnd);
  ONTIME_CHECK(!all.failed && all.records == records, "ranges that are read without a fault are all of the file");
}

}  // namespace

void feed_lines(std::string_view bytes) { feed_records(bytes, {}); }
void feed_fixed(std::string_view bytes) { feed_records(bytes, {std::make_shared<app::FixedRecords>(10)}); }
// The first byte chooses the format.
void feed_formats(std::string_view bytes) {
  constexpr const char* kNames[] = {
      "csv",  "delimiter:aba", "delimiter:\\n\\n", "paragraph", "json", "json:array", "fastq",
      "warc", "xml:a",         "csv:delimiter=;"};
  if (bytes.empty()) return;
  auto format = records::make_format(kNames[static_cast<unsigned char>(bytes[0]) % std::size(kNames)]);
  feed_records(bytes.substr(1), {std::move(*format)});
}
void feed_gzip(std::string_view bytes) {
  unpack(bytes, Codec::Gzip);
  divide(bytes, Codec::Gzip);
}
void feed_zstd(std::string_view bytes) {
  unpack(bytes, Codec::Zstd);
  divide(bytes, Codec::Zstd);
}
void feed_xz(std::string_view bytes) {
  unpack(bytes, Codec::Xz);
  divide(bytes, Codec::Xz);
}
void feed_bzip2(std::string_view bytes) {
  unpack(bytes, Codec::Bzip2);
  divide(bytes, Codec::Bzip2);
}

}  // namespace ontime::fuzz
