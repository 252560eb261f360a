#include "cli/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "cli/commands/execute.h"
#include "cli/result/part_file.h"
#include "common/base/crc32c.h"
#include "tests/cli/scratch.h"

namespace ontime::cli {
namespace {

using output::Manifest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// An output directory of two inputs, three tasks and four segments, whole until somebody plants a defect.
class Verify : public testing::Test {
 protected:
  Verify() {
    manifest_.job = "job-1";
    manifest_.application = "wordcount";
    manifest_.inputs = {{"/in/a", 100, "1", "plain"}, {"/in/b.gz", 10, "1", "gzip"}};
    add_task(0, {0, 60}, {{{0, 20}, "one\n"}, {{20, 60}, "two\n"}});
    add_task(0, {60, 100}, {{{60, 100}, ""}});
    add_task(1, {0, 5000}, {{{0, 5000}, "three\n"}});
    scratch_.file("_SUCCESS", "");
  }

  struct SealedText {
    ByteRange range;
    std::string output;
  };
  void add_task(std::uint32_t input, ByteRange split, const std::vector<SealedText>& segments) {
    output::Task task;
    task.index = static_cast<std::uint32_t>(manifest_.tasks.size());
    task.input = input;
    task.split = split;
    task.part = "part-m-0000" + std::to_string(task.index);
    std::string content;
    for (const auto& segment : segments) {
      task.segments.push_back(
          {segment.range, "t0000-a0", "worker", content.size(), segment.output.size(), 3, crc32c(segment.output)});
      content += segment.output;
    }
    scratch_.file(task.part, content);
    manifest_.tasks.push_back(task);
  }

  Verdict verdict() {
    EXPECT_TRUE(output::write_manifest(scratch_.path(), manifest_));
    const auto result = verify_directory(scratch_.path(), [this](std::uint64_t done) {
      EXPECT_GE(done, progress_);
      progress_ = done;
    });
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : Verdict{};
  }
  // Of a manifest that the reader would not even take.
  std::vector<std::string> structure_problems() const {
    Verdict found;
    check_structure(manifest_, found);
    return found.problems;
  }
  void expect_problem(const std::string& text) { EXPECT_THAT(verdict().problems, ElementsAre(HasSubstr(text))); }

  Scratch scratch_;
  Manifest manifest_;
  std::uint64_t progress_ = 0;
};

TEST_F(Verify, AWholeOutputIsCountedAndApproved) {
  const auto found = verdict();
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_EQ(found.tasks, 3u);
  EXPECT_EQ(found.segments, 4u);
  EXPECT_EQ(found.records, 12u);
  EXPECT_EQ(found.input_bytes, 5100u);
  EXPECT_EQ(found.output_bytes, 14u);
  EXPECT_EQ(progress_, 14u);
}

TEST_F(Verify, MissingSuccessOrManifestIsNoFinishedJob) {
  ASSERT_TRUE(output::write_manifest(scratch_.path(), manifest_));
  std::filesystem::remove(scratch_ / "_SUCCESS");
  const auto unfinished = verify_directory(scratch_.path(), [](std::uint64_t) {});
  ASSERT_FALSE(unfinished);
  EXPECT_EQ(unfinished.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(unfinished.error().message, HasSubstr("_SUCCESS"));
  scratch_.file("_SUCCESS", "");
  std::filesystem::remove(scratch_ / "_manifest.json");
  EXPECT_FALSE(verify_directory(scratch_.path(), [](std::uint64_t) {}));
  EXPECT_THAT(verify_directory("/nowhere", [](std::uint64_t) {}).error().message, HasSubstr("/nowhere"));
}

TEST_F(Verify, WhatSystemsLeaveInAnyDirectoryIsNoDamage) {
  for (const char* name : {".DS_Store", "Thumbs.db", ".nfs00000012", "._part-m-00000", "notes.db"})
    scratch_.file(name, "x");
  expect_problem("'notes.db' does not belong to the output");
}

TEST_F(Verify, AGapBetweenSegmentsIsFound) {
  manifest_.tasks[0].segments[1].range.begin = 25;
  expect_problem("bytes [20, 25) are missing");
}

TEST_F(Verify, AnOverlapOfSegmentsIsFound) {
  manifest_.tasks[0].segments[1].range.begin = 10;
  expect_problem("bytes [10, 20) are there twice");
}

TEST_F(Verify, ASegmentMissingAtTheEndIsFound) {
  manifest_.tasks[1].segments.clear();
  expect_problem("bytes [60, 100) are missing");
}

TEST_F(Verify, AnInputThatIsNotCoveredIsFound) {
  manifest_.inputs[0].size = 120;
  expect_problem("bytes [100, 120) are missing");
}

TEST_F(Verify, SplitsBeyondTheInputAreFound) {
  manifest_.inputs[0].size = 90;
  expect_problem("bytes [90, 100) lie beyond the end");
}

TEST_F(Verify, AnInputNobodyMappedIsFound) {
  manifest_.inputs.push_back({"/in/c", 7, "1", "plain"});
  expect_problem("/in/c");
}

TEST_F(Verify, AnEmptyInputNeedsNoTask) {
  manifest_.inputs.push_back({"/in/empty", 0, "1", "plain"});
  EXPECT_THAT(verdict().problems, IsEmpty());
}

TEST_F(Verify, ACompressedInputNeedsExactlyOneSplitFromItsBegin) {
  manifest_.tasks[2].split.begin = manifest_.tasks[2].segments[0].range.begin = 1;
  expect_problem("/in/b.gz");
}

TEST_F(Verify, ATaskOfAnUnknownInputIsFound) {
  manifest_.tasks[2].input = 7;
  EXPECT_THAT(structure_problems(), testing::Contains(HasSubstr("not in the list of inputs")));
}

// Two more files, which share a task.
class VerifyGroup : public Verify {
 protected:
  VerifyGroup() {
    manifest_.inputs.push_back({"/in/c", 30, "1", "plain"});
    manifest_.inputs.push_back({"/in/d", 20, "1", "plain"});
    add_task(2, {0, 50}, {{{0, 35}, "four\n"}, {{35, 50}, "five\n"}});
    manifest_.tasks[3].files = 2;
  }
};

TEST_F(VerifyGroup, IsWholeIfItsFilesAreTheSplit) {
  const Verdict found = verdict();
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_EQ(found.input_bytes, 100u + 5000 + 50);
}

TEST_F(VerifyGroup, ASplitThatIsNotAllOfItsFilesIsFound) {
  manifest_.inputs[3].size = 21;
  expect_problem("its split [0, 50) is not all of its 2 files, which have 51 bytes");
}

TEST_F(VerifyGroup, AFileThatAnotherTaskMapsTooIsFound) {
  add_task(3, {0, 20}, {{{0, 20}, "five\n"}});
  EXPECT_THAT(verdict().problems, testing::Contains(HasSubstr("'/in/d' of 20 bytes is not tiled by its splits")));
}

TEST_F(VerifyGroup, WithACompressedFileInItNobodyKnowsHowMuchItsFilesHold) {
  manifest_.inputs[3].codec = "gzip";
  manifest_.inputs[3].size = 7;
  EXPECT_THAT(verdict().problems, IsEmpty());
  progress_ = 0;
  manifest_.tasks[3].split.begin = 1;
  EXPECT_THAT(verdict().problems, testing::Contains(HasSubstr("is not all of its 2 files")));
}

// Or a small file would keep the reader busy.
TEST_F(VerifyGroup, MoreFilesThanThereAreStopTheCheck) {
  for (int i = 0; i < 1000; ++i) {
    manifest_.tasks.push_back(manifest_.tasks[3]);
    manifest_.tasks.back().index = static_cast<std::uint32_t>(manifest_.tasks.size() - 1);
  }
  const std::vector<std::string> problems = structure_problems();
  ASSERT_FALSE(problems.empty());
  EXPECT_THAT(problems.back(), HasSubstr("the tasks up to number 5 map more files than there are inputs"));
}

TEST_F(VerifyGroup, FilesThatAreNotListedAreFound) {
  manifest_.tasks[3].files = 3;
  EXPECT_THAT(structure_problems(), testing::Contains(HasSubstr("its input number 4 is not in the list of inputs")));
}

TEST_F(Verify, ASegmentDeclaredAtTheWrongPlaceIsFound) {
  manifest_.tasks[0].segments[1].offset = 3;
  EXPECT_THAT(verdict().problems, testing::Contains(HasSubstr("the one before ends at 4")));
}

TEST_F(Verify, AChangedByteIsFound) {
  scratch_.file("part-m-00000", "one\ntwO\n");
  expect_problem("part file 'part-m-00000', bytes 4 to 8: checksum");
}

TEST_F(Verify, ATruncatedOrGrownPartFileIsFound) {
  scratch_.file("part-m-00000", "one\ntwo");
  expect_problem("has 7 bytes instead of 8");
  progress_ = 0;
  scratch_.file("part-m-00000", "one\ntwo\n\n");
  expect_problem("has 9 bytes instead of 8");
}

TEST_F(Verify, AMissingPartFileIsFound) {
  std::filesystem::remove(scratch_ / "part-m-00001");
  expect_problem("'part-m-00001' cannot be read");
}

TEST_F(Verify, FilesThatDoNotBelongThereAreFound) {
  scratch_.file("part-m-00003", "");
  std::filesystem::create_directory(scratch_ / "_attempts");
  EXPECT_THAT(verdict().problems, ElementsAre(HasSubstr("'_attempts' does not"), HasSubstr("'part-m-00003' does not")));
}

TEST_F(Verify, AForeignPartNameIsFound) {
  manifest_.tasks[1].part = "../part-m-00001";
  EXPECT_THAT(structure_problems(), testing::Contains(HasSubstr("is called '../part-m-00001' instead of")));
}

TEST_F(Verify, ProblemsAreBounded) {
  for (int i = 0; i < 150; ++i) scratch_.file("stray" + std::to_string(i), "");
  const auto found = verdict();
  EXPECT_EQ(found.problems.size(), kProblemsMost);
  EXPECT_EQ(found.problems_untold, 50u);
}

TEST_F(Verify, APartOfAnotherLengthOrNameIsNotRead) {
  ASSERT_TRUE(output::write_manifest(scratch_.path(), manifest_));
  const auto parts = [&] {
    const auto output = FinishedOutput::open(scratch_.path());
    EXPECT_TRUE(output) << output.error().message;
    return part_files(*output);
  };
  ASSERT_TRUE(parts());
  scratch_.file("part-m-00002", "thre\n");
  const auto shorter = parts();
  ASSERT_FALSE(shorter);
  EXPECT_THAT(shorter.error().message, HasSubstr("part-m-00002"));
  manifest_.tasks[2].part = "part-m-00001";
  ASSERT_TRUE(output::write_manifest(scratch_.path(), manifest_));
  EXPECT_FALSE(parts());
}

// The manifest decides nothing about code: only the name of an application is taken from it.
TEST_F(Verify, AResultThatNamesItsApplicationByAPathIsNotLoaded) {
  manifest_.application = "/nowhere/evil.so";
  ASSERT_TRUE(output::write_manifest(scratch_.path(), manifest_));
  ResultCommand command;
  command.directory = scratch_.path();
  const auto answered = execute(command);
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(answered.error().message, HasSubstr("names its application by a path, '/nowhere/evil.so'"));
}

}  // namespace
}  // namespace ontime::cli
