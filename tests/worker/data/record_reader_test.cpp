#include "worker/data/record_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "common/base/byte_range.h"
#include "tests/worker/data/input_files.h"

namespace ontime::worker {
namespace {

using namespace test;

constexpr std::size_t kBlockSizes[] = {1, 3, 8, RecordReader::kBlockBytes};

std::unique_ptr<RecordReader> open_reader(const InputFile& file, std::uint64_t begin, RecordRule rule = {},
                                          std::size_t block_bytes = RecordReader::kBlockBytes) {
  auto reader = RecordReader::open(file, rule, begin, block_bytes);
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return nullptr;
  }
  return std::move(*reader);
}

// Appends what the reader claims up to `end`; checks each block on the way.
void read_up_to(RecordReader& reader, std::uint64_t end, std::vector<Record>& to) {
  for (;;) {
    const std::uint64_t before = reader.position();
    auto block = reader.next(end);
    ASSERT_TRUE(block) << block.error().message;
    if (block->records == 0) {
      ASSERT_TRUE(block->batch.bytes.empty());
      return;
    }
    ASSERT_EQ(block->batch.offset, before);
    ASSERT_EQ(reader.position(), before + block->batch.bytes.size());
    const std::vector<Record> records = lines_of(block->batch.bytes);
    ASSERT_EQ(records.size(), block->records);
    for (const Record& record : records) {
      ASSERT_LT(before + record.offset, end);
      to.push_back({before + record.offset, record.bytes});
    }
  }
}

std::vector<Record> records_in(const InputFile& file, ByteRange range, std::size_t block_bytes) {
  std::vector<Record> records;
  const auto reader = open_reader(file, range.begin, {}, block_bytes);
  if (reader) read_up_to(*reader, range.end, records);
  return records;
}

// Stores `content` in each form and calls `check(file)`.
template <class Check>
void for_each_form(const std::string& content, Check check) {
  const TemporaryDirectory directory;
  const std::size_t middle = content.size() / 2;
  const std::string front = content.substr(0, middle);
  const std::string back = content.substr(middle);
  write_file(directory.file("plain"), content);
  write_file(directory.file("gzip"), gzip(content));
  write_file(directory.file("members"), gzip(front) + gzip("") + gzip(back) + std::string(300, '\0'));
  write_file(directory.file("zstd"), zstd(content));
  write_file(directory.file("frames"), zstd(front) + "\x50\x2a\x4d\x18\x03" + std::string("\0\0\0abc", 6) + zstd(back));
  check(describe(directory.file("plain")));
  check(describe(directory.file("gzip"), Codec::Gzip));
  check(describe(directory.file("members"), Codec::Gzip));
  check(describe(directory.file("zstd"), Codec::Zstd));
  check(describe(directory.file("frames"), Codec::Zstd));
  if (content.empty()) return;  // the headers of nothing say nothing
  const std::size_t piece = std::max<std::size_t>(5, content.size() / 50);
  check(store_blocks(directory.file("bgzf"), pieces_of(content, piece), Codec::Gzip));
  check(store_blocks(directory.file("blocks"), pieces_of(content, piece), Codec::Zstd));
}

TEST(RecordReader, EveryTilingInThreeGivesEveryRecordOnce) {
  for (const std::string& content : awkward_contents()) {
    const std::vector<Record> expected = lines_of(content);
    const TemporaryDirectory directory;
    write_file(directory.file("input"), content);
    const InputFile file = describe(directory.file("input"));
    for (const std::size_t block : kBlockSizes) {
      for (std::uint64_t a = 0; a <= content.size(); ++a) {
        for (std::uint64_t b = a; b <= content.size(); ++b) {
          std::vector<Record> found = records_in(file, {0, a}, block);
          for (const Record& record : records_in(file, {a, b}, block)) found.push_back(record);
          for (const Record& record : records_in(file, {b, content.size()}, block)) found.push_back(record);
          ASSERT_EQ(found, expected) << "cut at " << a << " and " << b << ", blocks of " << block;
        }
      }
    }
  }
}

TEST(RecordReader, ARangeOwnsExactlyTheRecordsThatStartInItInEveryForm) {
  for (const std::string& content : awkward_contents()) {
    const std::vector<Record> all = lines_of(content);
    for_each_form(content, [&](const InputFile& file) {
      for (std::uint64_t begin = 0; begin <= content.size(); ++begin) {
        for (const std::uint64_t end : {begin, begin + 1, begin + 7, std::uint64_t{content.size()}}) {
          if ((file.codec == Codec::Plain || file.content_bytes > 0) && end > content.size()) continue;
          std::vector<Record> expected;
          std::copy_if(all.begin(), all.end(), std::back_inserter(expected),
                       [&](const Record& r) { return begin <= r.offset && r.offset < end; });
          ASSERT_EQ(records_in(file, {begin, end}, 8), expected) << file.path << " " << begin << ".." << end;
        }
      }
    });
  }
}

TEST(RecordReader, AnOpenEndReadsToTheEndAndTellsWhereThatIs) {
  for (const std::string& content : awkward_contents()) {
    for_each_form(content, [&](const InputFile& file) {
      const auto reader = open_reader(file, 0);
      std::vector<Record> found;
      read_up_to(*reader, kUnknownEnd, found);
      EXPECT_EQ(found, lines_of(content));
      EXPECT_EQ(reader->position(), content.size());
    });
  }
}

TEST(RecordReader, BeginningBehindTheEndOfACompressedStreamFindsNothing) {
  const TemporaryDirectory directory;
  write_file(directory.file("input"), gzip("a\nb\n"));
  const auto reader = open_reader(describe(directory.file("input"), Codec::Gzip), 100);
  auto block = reader->next(kUnknownEnd);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->records, 0u);
  EXPECT_EQ(reader->position(), 100u);
}

TEST(RecordReader, AlignGivesTheNextRecordStart) {
  for (const std::string& content : awkward_contents()) {
    const TemporaryDirectory directory;
    write_file(directory.file("input"), content);
    const auto reader = open_reader(describe(directory.file("input")), 0);
    const std::vector<Record> records = lines_of(content);
    for (std::uint64_t end = 0; end <= content.size(); ++end) {
      for (std::uint64_t at = 0; at <= end; ++at) {
        std::uint64_t expected = end;
        for (const Record& record : records) {
          if (record.offset >= at) expected = std::min(expected, record.offset);
        }
        const auto aligned = reader->align(at, end);
        ASSERT_TRUE(aligned);
        ASSERT_EQ(*aligned, expected) << at << " of " << end;
      }
    }
  }
}

// The end moves down and up between blocks, as cuts make it; then another reader takes over from there.
TEST(RecordReader, CutsAtRandomMomentsLoseAndDoubleNothing) {
  std::mt19937_64 random(7);
  for (const std::string& content : awkward_contents()) {
    for_each_form(content, [&](const InputFile& file) {
      for (int round = 0; round < 100; ++round) {
        std::vector<Record> found;
        std::uint64_t begin = 0;
        while (begin < content.size()) {
          const std::size_t block = 1 + random() % 20;
          const auto reader = open_reader(file, begin, {}, block);
          for (auto blocks = random() % 4; blocks > 0; --blocks) {
            auto claimed = reader->next(content.size());
            ASSERT_TRUE(claimed);
            for (Record& r : lines_of(claimed->batch.bytes))
              found.push_back({claimed->batch.offset + r.offset, r.bytes});
          }
          const std::uint64_t position = std::min<std::uint64_t>(reader->position(), content.size());
          const auto cut = reader->align(position + random() % (content.size() - position + 1), content.size());
          ASSERT_TRUE(cut);
          read_up_to(*reader, *cut, found);
          begin = *cut;
        }
        ASSERT_EQ(found, lines_of(content)) << file.path;
      }
    });
  }
}

TEST(RecordReader, FixedLengthRecordsAreTiledByArithmetic) {
  const std::string content = "aaaabbbbccccddddeeee";
  for_each_form(content, [&](const InputFile& file) {
    for (std::uint64_t a = 0; a <= content.size(); ++a) {
      std::string found;
      for (const ByteRange range : {ByteRange{0, a}, ByteRange{a, content.size()}}) {
        const auto reader = open_reader(file, range.begin, {std::make_shared<app::FixedRecords>(4), 1 << 20}, 7);
        for (;;) {
          auto block = reader->next(range.end);
          ASSERT_TRUE(block);
          if (block->records == 0) break;
          ASSERT_EQ(block->batch.bytes.size(), block->records * 4);
          found += block->batch.bytes;
        }
      }
      ASSERT_EQ(found, content) << a;
      const auto reader = open_reader(file, 0, {std::make_shared<app::FixedRecords>(4), 1 << 20});
      EXPECT_EQ(*reader->align(a, content.size()), (a + 3) / 4 * 4);
    }
  });
}

TEST(RecordReader, AFileThatIsNoMultipleOfTheRecordLengthIsABadRecord) {
  const TemporaryDirectory directory;
  write_file(directory.file("input"), "aaaabb");
  const auto reader =
      open_reader(describe(directory.file("input")), 0, {std::make_shared<app::FixedRecords>(4), 1 << 20});
  ASSERT_TRUE(reader->next(6));
  const auto block = reader->next(6);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().kind, FaultKind::BadRecord);
  EXPECT_NE(block.error().message.find("has 2 bytes instead of 4"), std::string::npos);
}

TEST(RecordReader, ARecordMayBeAsLongAsTheLimitAndNotLonger) {
  const TemporaryDirectory directory;
  for (const std::size_t block : kBlockSizes) {
    for (const std::uint64_t excess : {0, 1}) {
      for (const bool has_end : {false, true}) {
        const std::string line = std::string(99 + excess, 'x') + (has_end ? '\n' : 'x');
        write_file(directory.file("input"), "short\n" + line);
        const InputFile file = describe(directory.file("input"));
        const auto reader = open_reader(file, 0, {RecordRule::line_format(), 100}, block);
        auto result = reader->next(file.size);
        while (result && result->records > 0) result = reader->next(file.size);
        ASSERT_EQ(result.has_value(), excess == 0);
        if (result) continue;
        EXPECT_EQ(result.error().kind, FaultKind::BadRecord);
        EXPECT_NE(result.error().message.find("at byte 6 of " + file.path), std::string::npos);
      }
    }
  }
}

TEST(RecordReader, LongRecordsComeWholeWhateverTheBlock) {
  const TemporaryDirectory directory;
  std::string content = "a\n" + std::string(700'000, 'b') + "\n" + std::string(300'000, 'c') + "\nd\n";
  write_file(directory.file("input"), content);
  const InputFile file = describe(directory.file("input"));
  for (const std::uint64_t cut : {1, 2, 3, 500'000, 700'003, 900'000}) {
    std::vector<Record> found = records_in(file, {0, cut}, RecordReader::kBlockBytes);
    for (Record& record : records_in(file, {cut, file.size}, RecordReader::kBlockBytes)) found.push_back(record);
    ASSERT_EQ(found, lines_of(content));
  }
}

TEST(RecordReader, BigFilesReadTheSameInEveryForm) {
  std::mt19937_64 random(3);
  std::string content;
  while (content.size() < 2'000'000)
    content += std::string(random() % 150, static_cast<char>('a' + random() % 26)) + "\n";
  const std::vector<Record> expected = lines_of(content);
  for_each_form(content, [&](const InputFile& file) {
    std::vector<Record> found;
    std::uint64_t begin = 0;
    while (begin < content.size()) {
      const std::uint64_t end = std::min<std::uint64_t>(content.size(), begin + 1 + random() % 900'000);
      for (Record& record : records_in(file, {begin, end}, RecordReader::kBlockBytes))
        found.push_back(std::move(record));
      begin = end;
    }
    ASSERT_TRUE(found == expected) << file.path;
  });
}

TEST(RecordReader, ATruncatedCompressedFileIsABadRecordThatNamesFileAndOffset) {
  const std::string content = "some text\nthat is compressed\nand then cut off\n";
  const TemporaryDirectory directory;
  for (const Codec codec : {Codec::Gzip, Codec::Zstd}) {
    const std::string stored = codec == Codec::Gzip ? gzip(content) : zstd(content);
    for (std::size_t size = 1; size < stored.size(); ++size) {
      write_file(directory.file("input"), stored.substr(0, size));
      const auto reader = open_reader(describe(directory.file("input"), codec), 0);
      auto block = reader->next(kUnknownEnd);
      while (block && block->records > 0) block = reader->next(kUnknownEnd);
      ASSERT_FALSE(block) << size << " bytes";
      EXPECT_EQ(block.error().kind, FaultKind::BadRecord);
      EXPECT_NE(block.error().message.find(directory.file("input") + " is broken at byte "), std::string::npos);
    }
  }
}

TEST(RecordReader, ADamagedCompressedFileIsNeverReadWrongly) {
  const std::string content = "some text\nthat is compressed\nand then damaged\n";
  const TemporaryDirectory directory;
  for (const Codec codec : {Codec::Gzip, Codec::Zstd}) {
    const std::string stored = codec == Codec::Gzip ? gzip(content) : zstd(content);
    for (std::size_t bit = 0; bit < stored.size() * 8; ++bit) {
      std::string damaged = stored;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      write_file(directory.file("input"), damaged);
      auto reader = RecordReader::open(describe(directory.file("input"), codec), {}, 0);
      ASSERT_TRUE(reader);
      std::string found;
      auto block = (*reader)->next(kUnknownEnd);
      for (; block && block->records > 0; block = (*reader)->next(kUnknownEnd)) found += block->batch.bytes;
      EXPECT_TRUE(!block || found == content) << "bit " << bit;
    }
  }
}

TEST(RecordReader, AChangedInputIsNoticed) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("input");
  write_file(path, "one\ntwo\n");
  const InputFile file = describe(path);
  const auto reader = open_reader(file, 0);
  EXPECT_TRUE(reader->check_unchanged());
  write_file(path, "one\ntwo\nthree\n");
  const auto grown = reader->check_unchanged();
  ASSERT_FALSE(grown);
  EXPECT_EQ(grown.error().kind, FaultKind::InputChanged);
  EXPECT_NE(grown.error().message.find("it has 14 bytes instead of 8, which --growing allows"), std::string::npos)
      << grown.error().message;
  EXPECT_FALSE(RecordReader::open(file, {}, 0));

  write_file(path, "ONE\nTWO\n");
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  const auto touched = reader->check_unchanged();
  ASSERT_FALSE(touched);
  EXPECT_NE(touched.error().message.find("it was modified"), std::string::npos);

  write_file(path, "one\n");
  auto block = reader->next(8);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().kind, FaultKind::InputChanged);
}

TEST(RecordReader, AnInputThatCannotBeOpenedSaysWhetherItIsGone) {
  const auto missing = RecordReader::open({"/nonexistent/input", 1, "0", Codec::Plain}, {}, 0);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, FaultKind::Vanished);
  EXPECT_EQ(missing.error().message, "cannot open the input /nonexistent/input: No such file or directory");
  const auto directory = RecordReader::open({"/", 1, "0", Codec::Plain}, {}, 0);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().kind, FaultKind::InputChanged);
}

}  // namespace
}  // namespace ontime::worker
