#include "worker/data/segment_writer.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>

#include "common/base/crc32c.h"
#include "tests/support/small_files.h"
#include "tests/worker/data/input_files.h"

namespace ontime::worker {
namespace {

using namespace test;

std::unique_ptr<SegmentWriter> create(const std::string& path, const Compression& compression = {}) {
  auto output = OutputFile::create(path);
  if (!output) {
    ADD_FAILURE() << output.error().message;
    return nullptr;
  }
  return std::make_unique<SegmentWriter>(std::move(*output), 0, compression);
}

TEST(SegmentWriter, SegmentsFollowEachOtherAndTheirChecksumsHold) {
  const TemporaryDirectory directory;
  const auto writer = create(directory.file("out"));
  std::mt19937_64 random(1);
  std::string all;
  for (int segment = 0; segment < 20; ++segment) {
    const std::size_t begin = all.size();
    for (auto pieces = random() % 40; pieces > 0; --pieces) {
      const std::string piece(random() % 30'000, static_cast<char>('a' + random() % 26));
      writer->write(piece);
      all += piece;
      ASSERT_EQ(writer->bytes(), all.size());
    }
    const auto sealed = writer->seal();
    ASSERT_TRUE(sealed);
    EXPECT_EQ(sealed->file_offset, begin);
    EXPECT_EQ(sealed->length, all.size() - begin);
    EXPECT_EQ(sealed->crc32c, crc32c(std::string_view(all).substr(begin)));
    ASSERT_TRUE(read_file(directory.file("out")) == all);  // before any further write
  }
}

TEST(SegmentWriter, OnePieceMayBeLargerThanTheBuffer) {
  const TemporaryDirectory directory;
  const auto writer = create(directory.file("out"));
  const std::string huge(5 * SegmentWriter::kBufferBytes + 1, 'h');
  writer->record("key", "value");
  writer->write(huge);
  writer->record("key", "value");
  writer->write(huge);
  writer->write("");
  ASSERT_TRUE(writer->seal());
  EXPECT_TRUE(read_file(directory.file("out")) == "key\tvalue\n" + huge + "key\tvalue\n" + huge);
}

constexpr Compression kCompressions[] = {{Codec::Zstd, 3}, {Codec::Gzip, 1}};

// By the readers of compressed inputs, which know nothing of who has written them.
std::string decompressed(const std::string& path, Codec codec) {
  auto input = open_input(describe(path, codec));
  if (!input) return "cannot open";
  const auto source = make_source(**input);
  std::string content, block(100'000, '\0');
  for (;;) {
    const auto got = source->read(block.data(), block.size());
    if (!got) return got.error().message;
    if (*got == 0) return content;
    content.append(block, 0, *got);
  }
}

TEST(SegmentWriter, ASegmentIsAFrameOfItsOwnWhereverItIsCut) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const Compression& compression : kCompressions) {
    const TemporaryDirectory directory;
    const auto writer = create(directory.file("out"), compression);
    std::mt19937_64 random(seed);
    std::string all;
    std::uint64_t stored = 0;
    for (int segment = 0; segment < 20; ++segment) {
      const std::size_t begin = all.size();
      for (auto pieces = segment == 7 ? 0 : random() % 40; pieces > 0; --pieces) {
        std::string piece(random() % 20'000, static_cast<char>('a' + random() % 26));
        if (pieces % 4 == 0) {
          for (char& c : piece) c = static_cast<char>(random());
        }
        writer->write(piece);
        all += piece;
        ASSERT_EQ(writer->bytes(), all.size());
      }
      const auto sealed = writer->seal();
      ASSERT_TRUE(sealed);
      EXPECT_EQ(sealed->file_offset, stored);
      EXPECT_GT(sealed->length, 0u);
      EXPECT_EQ(sealed->content_length, all.size() - begin);
      stored += sealed->length;
      const std::string file = read_file(directory.file("out"));
      ASSERT_EQ(file.size(), stored) << "before any further write";
      const std::string frame = file.substr(sealed->file_offset);
      EXPECT_EQ(sealed->crc32c, crc32c(frame));
      write_file(directory.file("frame"), frame);
      ASSERT_TRUE(decompressed(directory.file("frame"), compression.codec) == all.substr(begin)) << segment;
    }
    EXPECT_TRUE(decompressed(directory.file("out"), compression.codec) == all);
  }
}

TEST(SegmentWriter, ALongFrameIsWrittenMeanwhileInBoundedMemory) {
  for (const Compression& compression : kCompressions) {
    const TemporaryDirectory directory;
    const auto writer = create(directory.file("out"), compression);
    const auto used = [] {
      const auto now = ::mallinfo2();
      return now.uordblks + now.hblkhd;
    };
    std::mt19937_64 random(1);
    std::string piece(256 << 10, '\0');
    for (std::size_t at = 0; at + 8 <= piece.size(); at += 8) {
      const auto bits = random();
      std::memcpy(piece.data() + at, &bits, 8);
    }
    writer->write(piece);
    const auto before = used();
    for (int i = 0; i < 40; ++i) {
      std::rotate(piece.begin(), piece.begin() + 1, piece.end());
      std::shuffle(piece.begin(), piece.begin() + 1000, random);
      writer->write(piece);
    }
    EXPECT_LT(used(), before + (6u << 20)) << name_of(compression.codec);
    ASSERT_TRUE(writer->seal());
  }
}

TEST(SegmentWriter, AFullDiskIsAFaultOfCompressedOutputToo) {
  for (const Compression& compression : kCompressions) {
    const TemporaryDirectory directory;
    const auto writer = create(directory.file("out"), compression);
    const ontime::test::SmallFiles full;
    std::mt19937_64 random(1);
    for (int i = 0; i < 100; ++i) {
      std::string piece(10'000, '\0');
      for (char& c : piece) c = static_cast<char>(random());
      writer->write(piece);
    }
    const auto sealed = writer->seal();
    ASSERT_FALSE(sealed);
    EXPECT_EQ(sealed.error().message, "cannot write the output file " + directory.file("out") + ": File too large");
  }
}

TEST(SegmentWriter, ARecordThatWouldBeReadAsAnotherIsRefused) {
  const TemporaryDirectory directory;
  const auto writer = create(directory.file("out"));
  EXPECT_THROW(writer->record("a\tb", "1"), std::invalid_argument);
  EXPECT_THROW(writer->record("a\nb", "1"), std::invalid_argument);
  EXPECT_THROW(writer->record("a", "1\n2"), std::invalid_argument);
  writer->record("", "1\t2");
  EXPECT_EQ(writer->bytes(), 5u);
}

TEST(SegmentWriter, AnEmptySegmentHasLengthZero) {
  const TemporaryDirectory directory;
  const auto writer = create(directory.file("out"));
  const auto sealed = writer->seal();
  ASSERT_TRUE(sealed);
  EXPECT_EQ(sealed->length, 0u);
  EXPECT_EQ(sealed->crc32c, 0u);
  EXPECT_EQ(read_file(directory.file("out")), "");
}

TEST(SegmentWriter, AFileOfThatNameIsLeftAlone) {
  const TemporaryDirectory directory;
  write_file(directory.file("out"), "somebody else's");
  const auto output = OutputFile::create(directory.file("out"));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().kind, FaultKind::Output);
  EXPECT_EQ(output.error().message, "cannot create the output file " + directory.file("out") + ": File exists");
  EXPECT_EQ(read_file(directory.file("out")), "somebody else's");
}

TEST(SegmentWriter, TheFileIsMadeBelowTheClaimOfItsJobOrNotAtAll) {
  namespace fs = std::filesystem;
  const TemporaryDirectory directory;
  fs::create_directories(directory.file("out/_attempts/claim"));
  fs::create_directory_symlink("out", directory.file("link"));
  EXPECT_TRUE(OutputFile::create(directory.file("link/_attempts/claim/t00000-a0")));
  for (const std::string place : {"out/_attempts/claim", "out/_attempts"}) {
    fs::rename(directory.file(place), directory.file("moved"));
    for (const bool is_link : {false, true}) {
      if (is_link) fs::create_directory_symlink(directory.file("moved"), directory.file(place));
      const auto output = OutputFile::create(directory.file("out/_attempts/claim/t00000-a1"));
      ASSERT_FALSE(output) << place;
      EXPECT_EQ(output.error().kind, FaultKind::Output);
      EXPECT_NE(output.error().message.find("out is not this job's any more"), std::string::npos)
          << output.error().message;
    }
    fs::remove(directory.file(place));
    fs::rename(directory.file("moved"), directory.file(place));
  }
  EXPECT_FALSE(fs::exists(directory.file("out/_attempts/claim/t00000-a1")));
}

TEST(SegmentWriter, AFullDiskIsAnOutputFaultAndDropsTheRest) {
  const TemporaryDirectory directory;
  const auto writer = create(directory.file("out"));
  const ontime::test::SmallFiles full;
  for (int i = 0; i < 100; ++i) writer->write(std::string(100'000, 'x'));
  ASSERT_TRUE(writer->fault());
  EXPECT_EQ(writer->fault()->message, "cannot write the output file " + directory.file("out") + ": File too large");
  const auto sealed = writer->seal();
  ASSERT_FALSE(sealed);
  EXPECT_EQ(sealed.error().kind, FaultKind::Output);
  EXPECT_EQ(sealed.error().message, writer->fault()->message);
}

TEST(SegmentWriter, AMissingDirectoryIsAnOutputFault) {
  const auto output = OutputFile::create("/nonexistent/_attempts/claim/out");
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().message,
            "cannot create the output file /nonexistent/_attempts/claim/out: No such file or directory");
}

}  // namespace
}  // namespace ontime::worker
