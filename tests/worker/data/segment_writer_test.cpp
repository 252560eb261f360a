#include "worker/data/segment_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>

#include "common/base/crc32c.h"
#include "tests/worker/data/input_files.h"

namespace ontime::worker {
namespace {

using namespace test;

std::unique_ptr<SegmentWriter> create(const std::string& path) {
  auto output = OutputFile::create(path);
  if (!output) {
    ADD_FAILURE() << output.error().message;
    return nullptr;
  }
  return std::make_unique<SegmentWriter>(std::move(*output));
}

// While it lives no file may grow above 64 KiB: a full disk that needs no disk.
class SmallFiles {
 public:
  SmallFiles() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{64 << 10, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

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
  const SmallFiles full;
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
