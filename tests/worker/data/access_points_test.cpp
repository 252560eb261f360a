// Compressed files in every shape, read from the places that reading them has found: whatever the cuts and whichever of
// the places are known, the records are the same; and whatever is damaged, it is an error and never another answer.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <random>
#include <set>

#include "common/base/byte_range.h"
#include "master/inputs/input_index.h"
#include "tests/worker/data/input_files.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {
namespace {

using namespace test;

using Random = std::mt19937_64;

enum class Shape { Bgzf, Members, OneMember, Synced, Independent, ZstdFrames, Xz, XzStreams, Bzip2, Bzip2Streams };
constexpr Shape kShapes[] = {Shape::Bgzf,       Shape::Members, Shape::OneMember, Shape::Synced, Shape::Independent,
                             Shape::ZstdFrames, Shape::Xz,      Shape::XzStreams, Shape::Bzip2,  Shape::Bzip2Streams};

std::string text_of(Random& random, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    std::string line(random() % 40 == 0 ? random() % 3000 : random() % 60, ' ');
    for (char& letter : line) letter = static_cast<char>('a' + random() % (random() % 3 == 0 ? 26 : 4));
    text += line + (random() % 9 == 0 ? "\r\n" : "\n");
  }
  if (random() % 2 == 0) text.pop_back();
  return text;
}

std::vector<std::string> random_pieces(Random& random, const std::string& content) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t size = 1 + random() % (content.size() / 3);
    pieces.push_back(content.substr(at, size));
    at += pieces.back().size();
  }
  return pieces;
}

template <class Pack>
std::string packed(const std::vector<std::string>& pieces, Pack pack) {
  std::string stored;
  for (const std::string& piece : pieces) stored += pack(piece);
  return stored;
}

std::string stored_as(Shape shape, Random& random, const std::string& content) {
  const std::vector<std::string> pieces = random_pieces(random, content);
  const int level = static_cast<int>(1 + random() % 9);
  switch (shape) {
    case Shape::Bgzf:
      return packed(test::pieces_of(content, 1 + random() % 40'000), bgzf);
    case Shape::Members:
      return packed(pieces, gzip) + std::string(random() % 2 * 512, '\0');
    case Shape::OneMember:
      return gzip_flushed({content}, Z_NO_FLUSH);
    case Shape::Synced:
      return gzip_flushed(pieces, Z_SYNC_FLUSH);
    case Shape::Independent:
      return gzip_flushed(pieces, Z_FULL_FLUSH);
    case Shape::ZstdFrames:
      return packed(pieces, zstd_without_size);
    case Shape::Xz:
      return xz(pieces);
    case Shape::XzStreams:
      return xz(pieces) + std::string(random() % 3 * 4, '\0') + xz({}) + xz({"the last line\n", "of all"});
    case Shape::Bzip2:
      return bzip2(content, 1);
    case Shape::Bzip2Streams:
      return packed(pieces, [&](const std::string& piece) { return bzip2(piece, level); });
  }
  return {};
}

Codec codec_of(Shape shape) {
  if (shape <= Shape::Independent) return Codec::Gzip;
  if (shape == Shape::ZstdFrames) return Codec::Zstd;
  return shape <= Shape::XzStreams ? Codec::Xz : Codec::Bzip2;
}

// What is read up to `end`; nothing at a fault.
using Records = std::optional<std::vector<Record>>;
Records read(const InputFile& file, ByteRange range, const InputAccess& access = {}) {
  std::vector<Record> records;
  const auto reader = RecordReader::open(file, {}, range.begin, 4096, access);
  if (!reader) return std::nullopt;
  for (;;) {
    const auto block = (*reader)->next(range.end);
    if (!block) return std::nullopt;
    if (block->records == 0) return records;
    for (Record& record : lines_of(block->batch.bytes)) {
      record.offset += block->batch.offset;
      records.push_back(std::move(record));
    }
  }
}

// A file, what it holds, and where reading it may begin: everything that a first pass finds.
struct Case {
  explicit Case(Shape shape, std::uint64_t seed) : random(seed) {
    content = text_of(random, 1000 + random() % (random() % 6 == 0 ? 250'000 : 20'000));
    const std::string stored = stored_as(shape, random, content);
    if (shape == Shape::XzStreams) content += "the last line\nof all";
    write_file(directory.file("input"), stored);
    file = describe(directory.file("input"), codec_of(shape));
    InputAccess access;
    access.notes.apart = 1;
    access.notes.on_point = [this](StartPoint start) { starts.push_back(std::move(start)); };
    access.notes.on_end = [this](std::uint64_t bytes) { end = bytes; };
    first = read(file, {0, kUnknownEnd}, access);
  }

  // As a later job has it: with some of the places.
  InputFile divided(std::uint64_t one_in) {
    InputFile known = file;
    known.content_bytes = content.size();
    for (const StartPoint& start : starts) {
      if (random() % one_in == 0 && start.point.content < content.size()) known.points.push_back(start.point);
    }
    return known;
  }

  // As an attempt is launched: with the window of the last of them before what it maps, or of an earlier one.
  InputFile launched(InputFile known, std::uint64_t begin, std::uint64_t back) {
    for (auto at = starts.rbegin(); at != starts.rend(); ++at) {
      const bool is_known = known.content_bytes == 0 ||
                            std::find(known.points.begin(), known.points.end(), at->point) != known.points.end();
      if (at->point.content >= begin || !is_known || back-- > 0) continue;
      known.start = *at;
      break;
    }
    return known;
  }

  std::vector<std::uint64_t> cuts() {
    std::set<std::uint64_t> found{0, content.size()};
    for (std::uint64_t i = random() % 8; i > 0; --i) found.insert(random() % content.size());
    if (!starts.empty()) found.insert(starts[random() % starts.size()].point.content);
    return {found.begin(), found.end()};
  }

  // All ranges, one after another.
  Records tiled(const InputFile& known) {
    std::vector<Record> all;
    const std::vector<std::uint64_t> at = cuts();
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
      const auto part = read(launched(known, at[i], random() % 3), {at[i], at[i + 1]});
      if (!part) return std::nullopt;
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }

  Random random;
  TemporaryDirectory directory;
  std::string content;
  InputFile file;
  std::vector<StartPoint> starts;
  std::uint64_t end = 0;
  Records first;
};

Shape any_shape() { return *rc::gen::elementOf(std::vector<Shape>(std::begin(kShapes), std::end(kShapes))); }
Case any_case() { return Case(any_shape(), *rc::gen::arbitrary<std::uint64_t>()); }

TEST(AccessPoints, AreFoundInEveryShapeByReadingIt) {
  for (const Shape shape : kShapes) {
    std::size_t found = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Case one(shape, seed);
      ASSERT_TRUE(one.first) << static_cast<int>(shape);
      EXPECT_EQ(*one.first, lines_of(one.content));
      EXPECT_EQ(one.end, one.content.size());
      found += one.starts.size();
    }
    EXPECT_GE(found, 5u) << static_cast<int>(shape);
  }
}

RC_GTEST_PROP(AccessPoints, GiveTheSameRecordsWhateverIsCutAndWhicheverAreKnown, ()) {
  Case one = any_case();
  const InputFile known = one.divided(1 + one.random() % 4);
  const Records records = one.tiled(known);
  RC_ASSERT(records.has_value());
  RC_ASSERT(*records == lines_of(one.content));
}

// In the job that reads the file for the first time.
RC_GTEST_PROP(AccessPoints, AreWhereAttemptsOnAFileOfUnknownLengthBegin, ()) {
  Case one = any_case();
  const std::uint64_t begin = one.random() % one.content.size();
  const Records rest = read(one.launched(one.file, begin, one.random() % 2), {begin, kUnknownEnd});
  RC_ASSERT(rest.has_value());
  std::vector<Record> expected = lines_of(one.content);
  std::erase_if(expected, [&](const Record& record) { return record.offset < begin; });
  RC_ASSERT(*rest == expected);
}

// A standby learns later where it begins.
RC_GTEST_PROP(AccessPoints, MayBeOfferedToAReaderThatWaits, ()) {
  Case one = any_case();
  const InputFile known = one.divided(1 + one.random() % 2);
  const std::uint64_t begin = one.random() % one.content.size();
  const std::uint64_t before = one.random() % (begin + 1);
  const auto reader = RecordReader::open(known, {}, before, 4096);
  RC_ASSERT(bool(reader));
  if (const auto start = one.launched(known, begin, 0).start) (*reader)->offer(*start);
  RC_ASSERT(bool((*reader)->go_to(begin)));
  const auto block = (*reader)->next(one.content.size());
  RC_ASSERT(bool(block));
  std::vector<Record> expected = lines_of(one.content);
  std::erase_if(expected, [&](const Record& record) { return record.offset < begin; });
  RC_ASSERT(expected.empty() == (block->records == 0));
  if (!expected.empty()) RC_ASSERT(block->batch.bytes.starts_with(expected.front().bytes));
}

RC_GTEST_PROP(AccessPoints, OfADamagedFileCostAnErrorAndNotAnAnswer, ()) {
  Case one = any_case();
  const InputFile known = one.divided(1 + one.random() % 3);
  std::string stored = read_file(one.file.path);
  if (one.random() % 4 == 0) {
    stored.resize(one.random() % stored.size());
  } else {
    stored[one.random() % stored.size()] ^= static_cast<char>(1 + one.random() % 255);
  }
  write_file(one.file.path, stored);
  const InputFile now = describe(one.file.path, one.file.codec);
  InputFile damaged = known;
  damaged.size = now.size;
  damaged.version = now.version;
  const Records records = one.tiled(damaged);
  const bool is_right = !records || *records == lines_of(one.content);  // RC_ASSERT looks at both sides
  RC_ASSERT(is_right);
}

RC_GTEST_PROP(AccessPoints, ThatAreWrongCostAnErrorAndNotAnAnswer, ()) {
  Case one = any_case();
  InputFile known = one.divided(1);
  RC_PRE(!known.points.empty());
  const std::size_t which = one.random() % known.points.size();
  AccessPoint& point = known.points[which];
  const std::uint64_t by = one.random() % 2 == 0 ? 1 + one.random() % 3 : one.random();
  switch (one.random() % 6) {
    case 0:
      point.content += by;
      break;
    case 1:
      point.stored += by;
      break;
    case 2:
      point.state ^= by;
      break;
    case 3:
      known.content_bytes -= std::min(known.content_bytes - 1, by % 5000);
      break;
    case 4:
      known.content_bytes += by % 5000;
      break;
    default:
      point.window[one.random() % point.window.size()] ^= 1;
  }
  const auto is_before = [](const AccessPoint& a, const AccessPoint& b) { return a.content < b.content; };
  std::sort(known.points.begin(), known.points.end(), is_before);
  for (StartPoint& start : one.starts) {  // what is launched is as wrong
    if (start.point.content == one.starts[which].point.content) start.point = point;
  }
  std::sort(one.starts.begin(), one.starts.end(),
            [&](const StartPoint& a, const StartPoint& b) { return is_before(a.point, b.point); });
  const Records records = one.tiled(known);
  const bool is_right = !records || *records == lines_of(one.content);  // RC_ASSERT looks at both sides
  RC_ASSERT(is_right);
}

RC_GTEST_PROP(AccessPoints, WhoseWindowIsDamagedAreRefused, ()) {
  Case one = any_case();
  std::erase_if(one.starts, [](const StartPoint& start) { return !start.point.needs_window(); });
  RC_PRE(!one.starts.empty());
  StartPoint start = one.starts[one.random() % one.starts.size()];
  if (start.window.empty()) start.window = "x";
  start.window[one.random() % start.window.size()] ^= static_cast<char>(1 + one.random() % 255);
  InputFile file = one.file;
  file.start = start;
  const std::uint64_t begin = start.point.content + 1;
  const Records records = read(file, {begin, kUnknownEnd});
  std::vector<Record> expected = lines_of(one.content);
  std::erase_if(expected, [&](const Record& record) { return record.offset < begin; });
  const bool is_right = !records || *records == expected;
  RC_ASSERT(is_right);
}

// The master finds them by the indexes of the streams.
TEST(AccessPoints, OfXzAreInItsIndexes) {
  for (const Shape shape : {Shape::Xz, Shape::XzStreams}) {
    const Case one(shape, 8);
    const std::string stored = read_file(one.file.path);
    const auto read_at = [&](char* to, std::size_t size, std::uint64_t offset) {
      return offset < stored.size() ? stored.copy(to, size, static_cast<std::size_t>(offset)) : 0;
    };
    const auto index = master::find_input_index(Codec::Xz, stored.size(), read_at, {512, 1u << 20, 1});
    EXPECT_EQ(index.content_bytes, one.content.size());
    ASSERT_GE(index.points.size(), 2u);
    InputFile known = one.file;
    known.content_bytes = index.content_bytes;
    known.points = index.points;
    EXPECT_EQ(read(known, {0, one.content.size()}), lines_of(one.content));
    for (const AccessPoint& point : index.points) EXPECT_TRUE(read(known, {point.content + 1, one.content.size()}));
  }
}

}  // namespace
}  // namespace ontime::worker
