#include "cli/result/answer_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/cli/scratch.h"

namespace ontime::cli {
namespace {

// What `write` writes, through a file.
template <class Write>
std::string written(const Scratch& scratch, Write&& write) {
  auto file = AnswerFile::make(scratch / "answer", false);
  EXPECT_TRUE(file);
  DescriptorOutput output(file->descriptor(), file->shown_name());
  write(output);
  EXPECT_TRUE(output.finish());
  EXPECT_FALSE(std::filesystem::exists(scratch / "answer"));
  EXPECT_TRUE(file->publish());
  return scratch.content("answer");
}

TEST(DescriptorOutput, WritesLinesOfAnySizeInOrder) {
  const Scratch scratch;
  const std::string longest(1'000'000, 'v');
  const auto text = written(scratch, [&](app::Output& output) {
    output.record("k", "1");
    output.record("long", longest);
    output.record("z", "");
  });
  EXPECT_EQ(text, "k\t1\nlong\t" + longest + "\nz\t\n");
}

TEST(DescriptorOutput, AFullDeviceIsAnError) {
  DescriptorOutput output(open("/dev/full", O_WRONLY), "/dev/full");
  for (int i = 0; i < 100'000; ++i) output.record("key", "value");
  const auto status = output.finish();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, testing::HasSubstr("No space left on device"));
}

std::string top(const Scratch& scratch, std::uint64_t most, const std::vector<std::string>& lines) {
  return written(scratch, [&](app::Output& output) {
    TopOutput kept(most);
    for (const auto& line : lines) kept.write(line);
    EXPECT_TRUE(kept.finish(output));
  });
}

TEST(TopOutput, LargestFirstAndEqualOnesByKey) {
  const Scratch scratch;
  EXPECT_EQ(top(scratch, 3, {"a\t2\n", "c\t10\n", "b\t2\n", "d\t1\n", "e\t2\n"}), "c\t10\na\t2\nb\t2\n");
}

TEST(TopOutput, ComparesNumbersNotText) {
  const Scratch scratch;
  EXPECT_EQ(top(scratch, 9, {"a\t9\n", "b\t10.5\n", "c\t-1\n", "d\t1e3"}), "d\t1e3\nb\t10.5\na\t9\nc\t-1\n");
}

TEST(TopOutput, SurvivesMoreLinesThanItsBufferHolds) {
  const Scratch scratch;
  std::vector<std::string> lines;
  for (int i = 0; i < 50'000; ++i) lines.push_back("key" + std::to_string(i) + "\t" + std::to_string(i) + "\n");
  EXPECT_EQ(top(scratch, 2, lines), "key49999\t49999\nkey49998\t49998\n");
}

TEST(TopOutput, ALineWithoutANumberIsNamed) {
  TopOutput kept(1);
  kept.record("good", "1");
  kept.record("word", "x:1 y:2");
  DescriptorOutput nowhere(-1, "nowhere");
  const auto status = kept.finish(nowhere);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(status.error().message, testing::HasSubstr("word"));
}

TEST(AnswerFile, WithoutPublishNothingAppears) {
  const Scratch scratch;
  { const auto file = AnswerFile::make(scratch / "answer", true); }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  EXPECT_EQ(AnswerFile::make(scratch / "no/such/place", false).error().kind, ErrorKind::BadInput);
}

TEST(AnswerFile, AFileThatIsThereIsReplacedOnlyIfAskedFor) {
  const Scratch scratch;
  const auto path = scratch.file("answer", "mine");
  EXPECT_EQ(AnswerFile::make(path, false).error().message, "'" + path + "' exists already; --force replaces it");
  EXPECT_TRUE(AnswerFile::make(path, true));
}

TEST(AnswerFile, ADeviceIsWrittenToDirectly) {
  auto file = AnswerFile::make("/dev/null", false);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->publish());
}

}  // namespace
}  // namespace ontime::cli
