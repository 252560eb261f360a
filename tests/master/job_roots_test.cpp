// Jobs read and write where the operator lets them, whatever the names they give.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "master/inputs/input_listing.h"
#include "master/outputs/output.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

class JobRootsTest : public testing::Test {
 protected:
  JobRootsTest() {
    test::write_file(at("data/a/one"), "text\n");
    test::write_file(at("secret/two"), "text\n");
    fs::create_directories(at("out"));
    input_ = *files::Roots::make({at("data")});
    output_ = *files::Roots::make({at("out")});
  }
  std::string at(const std::string& name) const { return directory_ / name; }

  std::size_t count(const std::string& argument) {
    const auto listed = list_inputs({argument}, input_);
    EXPECT_TRUE(listed) << listed.error().message;
    return listed ? listed->files.size() : 0;
  }
  void expect_input_refused(const std::string& argument) {
    const auto listed = list_inputs({argument}, input_);
    ASSERT_FALSE(listed) << argument;
    EXPECT_EQ(listed.error().kind, ErrorKind::BadInput);
    EXPECT_NE(listed.error().message.find("lies outside of the directories that this cluster reads (" + at("data")),
              std::string::npos)
        << listed.error().message;
  }
  void expect_output_refused(const std::string& directory) {
    const Status claimed = Output::at(directory, "ours", output_)->claim().status;
    ASSERT_FALSE(claimed) << directory;
    EXPECT_EQ(claimed.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(claimed.error().message, "The output directory '" + directory +
                                           "' lies outside of the directories that this cluster writes to (" +
                                           at("out") +
                                           "); name one inside of them, or let the operator add it with "
                                           "--output-root.");
  }

  test::TemporaryDirectory directory_;
  files::Roots input_;
  files::Roots output_;
};

TEST_F(JobRootsTest, FilesDirectoriesAndPatternsInsideAreRead) {
  EXPECT_EQ(count(at("data/a/one")), 1u);
  EXPECT_EQ(count(at("data/a")), 1u);
  EXPECT_EQ(count(at("data/*/o*")), 1u);
  EXPECT_EQ(count("file://" + at("data/a/one")), 1u);
}

TEST_F(JobRootsTest, WhatLiesOutsideIsRefused) {
  expect_input_refused(at("secret/two"));
  expect_input_refused(at("secret"));
  expect_input_refused(at("secret/*"));
  expect_input_refused(at("data/../secret/two"));
  expect_input_refused(at("data/a/../../secret/t*"));
  expect_input_refused("file://" + at("data/%2e%2e/secret/two"));
}

TEST_F(JobRootsTest, LinksOutAreRefusedWhereverTheyAreFound) {
  fs::create_symlink(at("secret/two"), at("data/a/link"));
  fs::create_directory_symlink(at("secret"), at("data/directory"));
  expect_input_refused(at("data/a/link"));
  expect_input_refused(at("data/a"));
  expect_input_refused(at("data/a/*"));
  expect_input_refused(at("data/directory"));
  expect_input_refused(at("data/directory/*"));
  expect_input_refused(at("data/dir*"));
}

TEST_F(JobRootsTest, OfPlacesOutsideNothingIsTold) {
  expect_input_refused(at("secret/nothing"));
  expect_input_refused(at("secret/nothing*"));
  expect_input_refused("/nonexistent/x");
}

TEST_F(JobRootsTest, OutputsAreMadeInsideOnly) {
  EXPECT_TRUE(Output::at(at("out/deep/job"), "ours", output_)->claim().status);
  EXPECT_TRUE(fs::is_directory(at("out/deep/job/_attempts/ours")));
  expect_output_refused(at("elsewhere/job"));
  expect_output_refused(at("out"));
  fs::create_directory_symlink(at("secret"), at("out/link"));
  expect_output_refused(at("out/link/job"));
  expect_output_refused(at("out/link"));
  EXPECT_FALSE(fs::exists(at("elsewhere")));
  EXPECT_FALSE(fs::exists(at("secret/job")));
}

TEST_F(JobRootsTest, AClaimIsRefusedAsWithoutRoots) {
  ASSERT_TRUE(Output::at(at("out/job"), "ours", output_)->claim().status);
  const ClaimOutcome theirs = Output::at(at("out/job"), "theirs", output_)->claim();
  ASSERT_FALSE(theirs.status);
  EXPECT_EQ(theirs.status.error().message,
            "The output directory '" + at("out/job") +
                "' is being used by another job; name another one, or empty it if there is no such job.");
  EXPECT_EQ(theirs.idle_claim, "ours");
  test::write_file(at("out/file"), "x");
  const Status file = Output::at(at("out/file"), "ours", output_)->claim().status;
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("is a file"), std::string::npos) << file.error().message;
}

TEST_F(JobRootsTest, ALinkThatWaitsWhereADirectoryIsToBeMadeIsNotFollowed) {
  fs::create_symlink(at("secret/new"), at("out/dangling"));
  EXPECT_FALSE(Output::at(at("out/dangling/job"), "ours", output_)->claim().status);
  EXPECT_FALSE(fs::exists(at("secret/new")));
}

// A job was accepted, and then its directory became a link.
class SwappedOutputTest : public JobRootsTest {
 protected:
  SwappedOutputTest() {
    EXPECT_TRUE(Output::at(at("out/job"), "ours", output_)->claim().status);
    fs::rename(at("out/job"), at("secret/job"));
    fs::create_directory_symlink(at("secret/job"), at("out/job"));
  }
};

TEST_F(SwappedOutputTest, NothingIsCommittedThroughTheLink) {
  CommitPlan plan;
  const Status committed = Output::at(at("out/job"), "ours", output_)->publish(plan, [] { return true; }).status;
  ASSERT_FALSE(committed);
  EXPECT_NE(committed.error().message.find("lies outside"), std::string::npos) << committed.error().message;
  EXPECT_FALSE(fs::exists(at("secret/job/_SUCCESS")));
}

TEST_F(SwappedOutputTest, NothingIsRemovedThroughTheLink) {
  EXPECT_FALSE(Output::at(at("out/job"), "ours", output_)->discard(1));
  EXPECT_TRUE(fs::exists(at("secret/job/_attempts/ours")));
}

TEST_F(JobRootsTest, OutputsAreCommittedAndDiscardedAsWithoutRoots) {
  ASSERT_TRUE(Output::at(at("out/one"), "ours", output_)->claim().status);
  CommitPlan plan;
  plan.manifest.claim = "ours";
  const Status committed = Output::at(at("out/one"), "ours", output_)->publish(plan, [] { return true; }).status;
  ASSERT_TRUE(committed) << committed.error().message;
  EXPECT_TRUE(fs::exists(at("out/one/_SUCCESS")));
  EXPECT_TRUE(fs::exists(at("out/one/_manifest.json")));
  EXPECT_FALSE(fs::exists(at("out/one/_attempts")));
  ASSERT_TRUE(Output::at(at("out/two"), "ours", output_)->claim().status);
  ASSERT_TRUE(Output::at(at("out/two"), "ours", output_)->discard(1));
  EXPECT_FALSE(fs::exists(at("out/two")));
}

}  // namespace
}  // namespace ontime::master
