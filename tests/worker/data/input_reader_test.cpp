#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "tests/worker/data/input_files.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {
namespace {

using namespace test;

// Small files that share a task, and what reading them one by one gives, by offset in the group.
struct Group {
  TaskInput input;
  std::vector<Record> records;
  std::uint64_t end = 0;

  // Every other file is compressed, from that one on.
  enum class Kind { Plain, FirstCompressed, SecondCompressed };
  Group(const TemporaryDirectory& directory, const std::vector<std::string>& contents, std::uint64_t begin = 0,
        Kind kind = Kind::Plain) {
    input.begin = end = begin;
    for (const std::string& content : contents) {
      const std::string path = directory.file(std::to_string(input.files.size()));
      const bool is_plain = kind == Kind::Plain || (input.files.size() % 2 == 0) == (kind == Kind::SecondCompressed);
      write_file(path, is_plain ? content : gzip(content));
      input.files.push_back(describe(path, is_plain ? Codec::Plain : Codec::Gzip));
      for (Record& record : lines_of(content)) records.push_back({end + record.offset, std::move(record.bytes)});
      end += content.size();
    }
  }
};

std::unique_ptr<InputReader> open_group(const Group& group, std::uint64_t begin, std::size_t block_bytes = 8,
                                        RecordRule rule = {}) {
  auto reader = InputReader::open(group.input, rule, begin, block_bytes, {});
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return nullptr;
  }
  return std::move(*reader);
}

// Appends what the reader claims up to `end`; checks each block on the way.
void read_group(InputReader& reader, std::uint64_t end, std::vector<Record>& to) {
  for (;;) {
    auto block = reader.next(end);
    ASSERT_TRUE(block) << block.error().message;
    if (block->records == 0) return;
    const std::uint64_t begin = reader.file_begin() + block->batch.offset;
    ASSERT_EQ(reader.position(), begin + block->batch.bytes.size());
    ASSERT_TRUE(reader.file().codec != Codec::Plain ||
                block->batch.offset + block->batch.bytes.size() <= reader.file().size);
    for (Record& record : lines_of(block->batch.bytes)) {
      ASSERT_LT(begin + record.offset, end);
      to.push_back({begin + record.offset, std::move(record.bytes)});
    }
  }
}

std::vector<std::string> contents_from(std::size_t first) {
  std::vector<std::string> all = awkward_contents();
  std::vector<std::string> some;
  for (std::size_t i = 0; i < all.size() && some.size() < 4; ++i) {
    if (std::string& content = all[(first + i) % all.size()]; !content.empty()) some.push_back(std::move(content));
  }
  return some;
}

TEST(InputReader, EveryTilingInTwoOfEveryGroupGivesEveryRecordOnce) {
  for (std::size_t first = 0; first < awkward_contents().size(); ++first) {
    const TemporaryDirectory directory;
    const Group group(directory, contents_from(first));
    for (std::uint64_t cut = 0; cut < group.end; ++cut) {
      std::vector<Record> found;
      read_group(*open_group(group, 0), cut, found);
      read_group(*open_group(group, cut), group.end, found);
      ASSERT_EQ(found, group.records) << "cut at " << cut << ", group " << first;
    }
  }
}

// Nobody knows before where the files begin behind a compressed one.
TEST(InputReader, EveryTilingInTwoOfAGroupWithCompressedFilesGivesEveryRecordOnce) {
  for (const auto kind : {Group::Kind::FirstCompressed, Group::Kind::SecondCompressed}) {
    for (std::size_t first = 0; first < awkward_contents().size(); ++first) {
      const TemporaryDirectory directory;
      const Group group(directory, contents_from(first), 0, kind);
      for (std::uint64_t cut = 0; cut < group.end; ++cut) {
        std::vector<Record> found;
        const auto before = open_group(group, 0);
        read_group(*before, cut, found);
        EXPECT_TRUE(before->check_unchanged());
        read_group(*open_group(group, cut), kUnknownEnd, found);
        ASSERT_EQ(found, group.records) << "cut at " << cut << ", group " << first;
      }
    }
  }
}

TEST(InputReader, ACompressedFileOfAGroupThatChangesIsNoticedWhereItIsLeft) {
  const TemporaryDirectory directory;
  const Group group(directory, {"one\n", "two\n", "three\n"}, 0, Group::Kind::SecondCompressed);
  const auto reader = open_group(group, 4);
  ASSERT_EQ(reader->next(kUnknownEnd)->records, 1u);
  const std::string path = group.input.files[1].path;
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::hours(1));
  const auto block = reader->next(kUnknownEnd);
  ASSERT_FALSE(block);
  EXPECT_THAT(block.error().message, testing::HasSubstr(path));
}

RC_GTEST_PROP(InputReaderProperty, CutsAnywhereGiveEveryRecordOnce, ()) {
  const TemporaryDirectory directory;
  const auto line = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab\r\n\n")));
  const auto contents = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty(line)));
  const Group group(directory, contents, *rc::gen::inRange<std::uint64_t>(0, 100));
  const std::size_t block_bytes = *rc::gen::inRange<std::size_t>(1, 20);
  std::vector<Record> found;
  std::uint64_t begin = group.input.begin;
  auto reader = open_group(group, begin, block_bytes);
  while (begin < group.end) {
    const std::uint64_t wanted = *rc::gen::inRange(begin + 1, group.end + 1);
    const std::uint64_t end = *rc::gen::arbitrary<bool>() ? *reader->align(wanted, group.end) : wanted;
    RC_ASSERT(end >= wanted && end <= group.end);
    read_group(*reader, end, found);
    RC_ASSERT(reader->check_unchanged());
    begin = end;
    if (begin < group.end && *rc::gen::arbitrary<bool>()) reader = open_group(group, begin, block_bytes);
  }
  RC_ASSERT(found == group.records);
}

TEST(InputReader, AStandbyGoesForwardIntoAnyFile) {
  const TemporaryDirectory directory;
  const Group group(directory, {"one\ntwo", "three\nfour\n", "five"}, 1000);
  for (std::uint64_t begin = 1000; begin < group.end; ++begin) {
    const auto reader = open_group(group, 1000);
    ASSERT_TRUE(reader->go_to(begin));
    std::vector<Record> found;
    read_group(*reader, group.end, found);
    std::vector<Record> expected;
    for (const Record& record : group.records) {
      if (record.offset >= begin) expected.push_back(record);
    }
    ASSERT_EQ(found, expected) << begin;
  }
}

TEST(InputReader, ARecordHasItsFilesLengthWhereverTheFileBegins) {
  const TemporaryDirectory directory;
  const Group group(directory, {"aaabbb", "cccdddeee", "fff"}, 7);
  const RecordRule rule{std::make_shared<app::FixedRecords>(3)};
  const auto reader = open_group(group, 7, 8, rule);
  EXPECT_EQ(reader->align(7 + 6 + 1, group.end).value(), 7u + 6 + 3);
  EXPECT_EQ(reader->align(7 + 6 + 8, group.end).value(), 7u + 6 + 9);
  std::string found;
  for (const auto& [begin, end] : {std::pair{7u, 8u}, {8u, 20u}, {20u, 25u}}) {
    const auto part = open_group(group, begin, 8, rule);
    for (;;) {
      auto block = part->next(end);
      ASSERT_TRUE(block) << block.error().message;
      if (block->records == 0) break;
      found += std::string(block->batch.bytes) + "|";
    }
  }
  EXPECT_EQ(found, "aaa|bbb|cccddd|eee|fff|");
}

TEST(InputReader, AFileWithHalfARecordAtItsEndIsNamed) {
  const TemporaryDirectory directory;
  const Group group(directory, {"aaa", "bb", "ccc"});
  const auto reader = open_group(group, 0, 8, {std::make_shared<app::FixedRecords>(3)});
  ASSERT_EQ(reader->next(group.end)->records, 1u);
  const auto block = reader->next(group.end);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().kind, FaultKind::BadRecord);
  EXPECT_THAT(block.error().message, testing::HasSubstr("at byte 0 of " + group.input.files[1].path));
}

TEST(InputReader, LinesAreLookedUpInTheFileThatIsOpen) {
  const TemporaryDirectory directory;
  const Group group(directory, {"one\ntwo\n", "three\nfour\n"});
  const auto reader = open_group(group, 0);
  EXPECT_EQ(reader->align(2, group.end).value(), 4u);
  EXPECT_EQ(reader->align(6, group.end).value(), 8u);    // the end of the file is the begin of the next
  EXPECT_EQ(reader->align(10, group.end).value(), 10u);  // as good a place for a cut
  EXPECT_EQ(reader->align(10, 9).value(), 9u);
}

TEST(InputReader, AFileThatChangesIsNoticedNoLaterThanWhenItIsLeft) {
  for (const std::size_t changed : {0u, 1u}) {
    const TemporaryDirectory directory;
    const Group group(directory, {"one\n", "two\n", "three\n"});
    const auto reader = open_group(group, 0);
    ASSERT_EQ(reader->next(4)->records, 1u);
    const std::string path = group.input.files[changed].path;
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::hours(1));
    std::vector<Record> found;
    auto block = reader->next(group.end);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error().kind, FaultKind::InputChanged);
    EXPECT_THAT(block.error().message, testing::HasSubstr(path));
  }
}

TEST(InputReader, TheLastFileIsComparedWhenTheSegmentIsSealed) {
  const TemporaryDirectory directory;
  const Group group(directory, {"one\n", "two\n"});
  const auto reader = open_group(group, 0);
  std::vector<Record> found;
  read_group(*reader, group.end, found);
  EXPECT_TRUE(reader->check_unchanged());
  const std::string path = group.input.files[1].path;
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::hours(1));
  EXPECT_FALSE(reader->check_unchanged());
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(InputReader, OneFileIsOpenAtATime) {
  const TemporaryDirectory directory;
  const Group group(directory, std::vector<std::string>(100, "a line\n"));
  const std::size_t before = open_descriptors();
  const auto reader = open_group(group, 0);
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(reader->next(group.end)->records, 1u);
    ASSERT_EQ(open_descriptors(), before + 1);
  }
}

}  // namespace
}  // namespace ontime::worker
