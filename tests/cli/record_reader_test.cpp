#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

#include "cli/result/part_file.h"
#include "tests/cli/scratch.h"
#include "tests/cli/whole_parts.h"

namespace ontime::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines_of(const std::string& path, std::size_t block_bytes) {
  std::vector<std::string> lines;
  WholeParts whole;
  auto reader = RecordReader::open(whole.of(path), 0, block_bytes);
  EXPECT_TRUE(reader);
  for (;;) {
    const auto there = reader->advance();
    EXPECT_TRUE(there);
    if (!there || !*there) return lines;
    lines.emplace_back(reader->record());
  }
}

TEST(RecordReader, TheLastLineMayLackItsEnd) {
  const Scratch scratch;
  EXPECT_THAT(lines_of(scratch.file("a", "x\n\ny"), 4096), ElementsAre("x", "", "y"));
  EXPECT_THAT(lines_of(scratch.file("b", "x\n"), 4096), ElementsAre("x"));
  EXPECT_THAT(lines_of(scratch.file("c", ""), 4096), IsEmpty());
  EXPECT_THAT(lines_of(scratch.file("d", "\n\n"), 4096), ElementsAre("", ""));
}

TEST(RecordReader, BlocksAndLinesOfAnySizeGiveTheSameLines) {
  const Scratch scratch;
  rc::check([&] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n', '\0'));
    const auto block = *rc::gen::inRange<std::size_t>(1, 40);
    std::vector<std::string> expected;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) expected.push_back(line);
    RC_ASSERT(lines_of(scratch.file("text", text), block) == expected);
  });
}

constexpr Compression kCompressions[] = {{Codec::Zstd, 3}, {Codec::Gzip, 6}};

// All of it, or the error.
std::string content_of(const PartFile& part, std::size_t block_bytes = 64) {
  auto content = PartContent::open(part);
  if (!content) return content.error().message;
  std::string all, block(block_bytes, '\0');
  for (;;) {
    const auto got = (*content)->read(block.data(), block.size());
    if (!got) return got.error().message;
    if (*got == 0) return all;
    all.append(block, 0, *got);
  }
}

TEST(PartContent, IsWhatWasCompressed) {
  const Scratch scratch;
  const std::string large(1'000'000, 'x');
  const std::vector<std::string> segments{"a\nb\n", "", "c\n", large, ""};
  for (const Compression& compression : kCompressions) {
    WholeParts whole;
    const PartFile part = whole.compressed(scratch / "part", segments, compression);
    for (const std::size_t block : {1, 7, 300'000})
      EXPECT_TRUE(content_of(part, block) == "a\nb\nc\n" + large) << block;
    EXPECT_EQ(content_of(whole.compressed(scratch / "none", {}, compression)), "");
    EXPECT_EQ(content_of(whole.compressed(scratch / "empty", {""}, compression)), "");
  }
}

TEST(PartContent, WhateverByteIsDamagedItIsRefusedByName) {
  const Scratch scratch;
  const std::vector<std::string> segments{"the first segment\n", "the second segment\n"};
  for (const Compression& compression : kCompressions) {
    WholeParts whole;
    const PartFile part = whole.compressed(scratch / "part", segments, compression);
    const std::string good = scratch.content("part");
    const std::size_t border = part.task->segments[1].offset;
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 4);
      scratch.file("part", bad);
      const std::string place = at < border ? "bytes 0 to " + std::to_string(border)
                                            : "bytes " + std::to_string(border) + " to " + std::to_string(good.size());
      const std::string error = content_of(part);
      EXPECT_EQ(error.find("part file '" + (scratch / "part") + "', " + place), 0u) << error;
    }
  }
}

// The manifest says how much a frame holds: nobody's disk is filled by one that holds more.
TEST(PartContent, AFrameThatHoldsSomethingElseThanTheManifestSaysIsRefused) {
  const Scratch scratch;
  for (const Compression& compression : kCompressions) {
    WholeParts whole;
    const PartFile part = whole.compressed(scratch / "part", {std::string(5000, 'x')}, compression);
    const std::string name = compression.codec == Codec::Gzip ? "gzip member" : "zstd frame";
    const std::string head = "part file '" + (scratch / "part") + "', bytes 0 to " +
                             std::to_string(part.task->segments[0].length) + ": its " + name + " is damaged (";
    const std::string tail = "); the output was changed after the job";
    whole.last().segments[0].compressed_from = 4000;
    EXPECT_EQ(content_of(part), head + "it holds more than the job wrote" + tail);
    whole.last().segments[0].compressed_from = 6000;
    EXPECT_EQ(content_of(part), head + "it ends elsewhere than the job ended it" + tail);
    const std::string file = scratch.content("part").substr(0, part.task->segments[0].length - 2);
    scratch.file("part", file);
    whole.last().segments[0] = {{0, 1}, "t00000-a0", "worker", 0, file.size(), 1, crc32c(file), 5000};
    EXPECT_NE(content_of(part).find("is damaged (it has no end)"), std::string::npos);
  }
}

TEST(RecordReader, AMissingFileIsNamed) {
  WholeParts whole;
  const auto reader = RecordReader::open(whole.of("/nowhere/part"));
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find("/nowhere/part"), std::string::npos);
}

}  // namespace
}  // namespace ontime::cli
