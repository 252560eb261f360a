#include "cli/job_request.h"

#include <gtest/gtest.h>

#include "common/base/ids.h"
#include "common/output/manifest.h"
#include "tests/cli/scratch.h"

namespace ontime::cli {
namespace {

namespace fs = std::filesystem;

void write_traces(const Scratch& scratch, const std::string& directory) {
  const std::string attempts = output::attempts_directory(directory, "claim");
  fs::create_directories(scratch / attempts);
  scratch.file(attempts + "/" + attempt_file_name({{JobId{1}, 0}, 0}), "x");
  scratch.file(directory + "/" + part_file_name(0), "x");
  scratch.file(directory + "/" + output::kNewManifestName, "x");
  fs::create_directory(scratch / directory + "/" + output::kUnfinishedClaim + "claim");
}

TEST(LeftOutput, ADirectoryThatWasMadeGoesAgain) {
  const Scratch scratch;
  LeftOutput left(scratch / "out");
  write_traces(scratch, "out");
  left.hold();
  left.remove();
  EXPECT_FALSE(fs::exists(scratch / "out"));
}

TEST(LeftOutput, ADirectoryThatWasThereStaysEmpty) {
  const Scratch scratch;
  fs::create_directory(scratch / "out");
  LeftOutput left(scratch / "out");
  write_traces(scratch, "out");
  left.hold();
  left.remove();
  EXPECT_TRUE(fs::is_empty(scratch / "out"));
}

TEST(LeftOutput, WhatSomebodyElsePutThereStays) {
  const Scratch scratch;
  LeftOutput left(scratch / "out");
  write_traces(scratch, "out");
  scratch.file("out/precious", "mine");
  left.hold();
  left.remove();
  EXPECT_EQ(scratch.content("out/precious"), "mine");
  EXPECT_FALSE(fs::exists(scratch / "out/part-m-00000"));
}

TEST(LeftOutput, ADirectoryThatHasComeInItsPlaceIsLeftAlone) {
  const Scratch scratch;
  LeftOutput left(scratch / "out");
  write_traces(scratch, "out");
  write_traces(scratch, "victim");
  left.hold();
  fs::rename(scratch / "out", scratch / "elsewhere");
  fs::create_directory_symlink(scratch / "victim", scratch / "out");
  left.remove();
  EXPECT_TRUE(fs::exists(scratch / "victim/part-m-00000"));
  EXPECT_TRUE(fs::is_symlink(scratch / "out"));
  EXPECT_TRUE(fs::is_empty(scratch / "elsewhere"));
}

TEST(LeftOutput, AFinishedJobIsLeftAlone) {
  const Scratch scratch;
  LeftOutput left(scratch / "out");
  write_traces(scratch, "out");
  scratch.file("out/_SUCCESS", "");
  left.hold();
  left.remove();
  EXPECT_TRUE(fs::exists(scratch / "out/part-m-00000"));
}

TEST(LeftOutput, NothingThereIsNothingToDo) {
  LeftOutput left("/nowhere/at/all");
  left.hold();
  left.remove();
}

}  // namespace
}  // namespace ontime::cli
