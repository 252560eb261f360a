#include "cli/result/part_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

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

TEST(RecordReader, AMissingFileIsNamed) {
  WholeParts whole;
  const auto reader = RecordReader::open(whole.of("/nowhere/part"));
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find("/nowhere/part"), std::string::npos);
}

}  // namespace
}  // namespace ontime::cli
