// Where reading of a compressed file may begin: what its headers say, and what becomes of headers that lie.
#include "master/inputs/input_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/worker/data/input_files.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {
namespace {

using namespace test;
using master::IndexEffort;
using master::InputIndex;

constexpr IndexEffort kEveryBlock{4096, 1u << 20, 1};

InputIndex index_of(const std::string& stored, Codec codec, const IndexEffort& effort = kEveryBlock) {
  const auto kind = codec == Codec::Gzip ? Codec::Gzip : Codec::Zstd;
  const auto read = [&](char* to, std::size_t size, std::uint64_t offset) {
    return offset < stored.size() ? stored.copy(to, size, static_cast<std::size_t>(offset)) : 0;
  };
  return find_input_index(kind, stored.size(), read, effort);
}

std::string lines(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  return text;
}

TEST(InputIndex, HasEveryBlockThatTheHeadersTellOf) {
  const TemporaryDirectory directory;
  for (const Codec codec : {Codec::Gzip, Codec::Zstd}) {
    const InputFile file = store_blocks(directory.file("blocks"), pieces_of(lines(300'000), 30'000), codec);
    const InputIndex index = index_of(read_file(file.path), codec);
    EXPECT_EQ(index.content_bytes, file.content_bytes);
    ASSERT_EQ(index.points.size(), file.points.size());
    for (std::size_t i = 0; i < index.points.size(); ++i) EXPECT_EQ(index.points[i].content, file.points[i].content);
  }
}

TEST(InputIndex, KeepsPointsApart) {
  const TemporaryDirectory directory;
  const InputFile file = store_blocks(directory.file("blocks"), pieces_of(lines(300'000), 10'000), Codec::Zstd);
  IndexEffort effort = kEveryBlock;
  effort.apart = 100'000;
  const InputIndex index = index_of(read_file(file.path), Codec::Zstd, effort);
  EXPECT_EQ(index.points.size(), 3u);
  EXPECT_EQ(index.content_bytes, file.content_bytes);
}

// The table at the end of the seekable format, as its description has it.
TEST(InputIndex, IsTakenFromTheTableOfTheSeekableFormat) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255);
    return text;
  };
  std::string stored;
  std::string table;
  for (int i = 0; i < 5; ++i) {
    const std::string content = lines(10'000);
    const std::string frame = zstd(content);
    stored += frame;
    table += number(frame.size(), 4) + number(content.size(), 4);
  }
  const std::string footer = number(5, 4) + number(0, 1) + number(0x8f92eab1, 4);
  const std::string whole = stored + number(0x184d2a5e, 4) + number(table.size() + footer.size(), 4) + table + footer;
  IndexEffort few = kEveryBlock;
  few.reads_max = 2;
  const InputIndex index = index_of(whole, Codec::Zstd, few);
  EXPECT_EQ(index.content_bytes, 5 * lines(10'000).size());
  EXPECT_EQ(index.points.size(), 4u);
}

TEST(InputIndex, OfAFileWithoutSuchHeadersIsEmpty) {
  const std::string text = lines(100'000);
  EXPECT_EQ(index_of(gzip(text), Codec::Gzip).content_bytes, 0u);
  EXPECT_EQ(index_of(bgzf(text.substr(0, 1000)) + gzip(text), Codec::Gzip).content_bytes, 0u);
  EXPECT_EQ(index_of(zstd(text).substr(0, 100), Codec::Zstd).content_bytes, 0u);
  EXPECT_EQ(index_of("", Codec::Zstd).content_bytes, 0u);
}

TEST(InputIndex, CostsNoMoreThanItMay) {
  const TemporaryDirectory directory;
  const InputFile file = store_blocks(directory.file("blocks"), pieces_of(lines(3'000'000), 30'000), Codec::Gzip);
  IndexEffort few = kEveryBlock;
  few.reads_max = 20;
  EXPECT_EQ(index_of(read_file(file.path), Codec::Gzip, few).content_bytes, 0u);
}

// Whether some reader of the file in ranges, each of which begins at a point, finds a fault.
bool is_noticed(const InputFile& file) {
  std::vector<std::uint64_t> cuts{0};
  for (const AccessPoint& point : file.points) cuts.push_back(point.content);
  cuts.push_back(file.content_bytes);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    auto reader = RecordReader::open(file, {}, cuts[i]);
    if (!reader) return true;
    for (;;) {
      const auto block = (*reader)->next(cuts[i + 1]);
      if (!block) return true;
      if (block->records == 0) break;
    }
  }
  return false;
}

// Headers are no checksums: what they say is compared with what is read.
TEST(InputIndex, ThatLiesIsNoticed) {
  const TemporaryDirectory directory;
  for (const Codec codec : {Codec::Gzip, Codec::Zstd}) {
    const InputFile good = store_blocks(directory.file("blocks"), pieces_of(lines(2'000), 300), codec);
    ASSERT_FALSE(is_noticed(good));
    for (std::size_t i = 0; i < good.points.size(); ++i) {
      for (const int by : {-1, 1}) {
        InputFile bad = good;
        bad.points[i].content += static_cast<std::uint64_t>(by);
        EXPECT_TRUE(is_noticed(bad)) << "point " << i;
        bad = good;
        bad.points[i].stored += static_cast<std::uint64_t>(by);
        EXPECT_TRUE(is_noticed(bad)) << "point " << i;
      }
    }
    for (const int by : {-1, 1}) {
      InputFile bad = good;
      bad.content_bytes += static_cast<std::uint64_t>(by);
      EXPECT_TRUE(is_noticed(bad));
    }
  }
}

}  // namespace
}  // namespace ontime::worker
