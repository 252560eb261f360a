// A directory that a job has for its output: claimed by one, and discarded by that one only.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "common/output/manifest.h"
#include "master/outputs/output.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

class OutputDirectoryTest : public testing::Test {
 protected:
  static constexpr const char* kOurs = "ours-1";

  Status claim(const std::string& id = kOurs) { return Output::at(output_, id)->claim().status; }
  std::string refusal(const std::string& id = kOurs) {
    const Status status = claim(id);
    EXPECT_FALSE(status);
    return status ? "" : status.error().message;
  }
  // The claim that is reported to stand in the way.
  std::string idle_claim() { return Output::at(output_, "ours-2")->claim().idle_claim; }
  Status discard(std::uint32_t parts, const std::string& id = kOurs) { return Output::at(output_, id)->discard(parts); }
  std::string at(const std::string& name) const { return output_ + "/" + name; }

  test::TemporaryDirectory directory_;
  const std::string output_ = directory_ / "deep/out";
};

TEST_F(OutputDirectoryTest, IsMadeWithItsClaimInside) {
  ASSERT_TRUE(claim());
  EXPECT_TRUE(fs::is_directory(at("_attempts/ours-1")));
}

TEST_F(OutputDirectoryTest, MayBeEmpty) {
  fs::create_directories(output_);
  EXPECT_TRUE(claim());
}

TEST_F(OutputDirectoryTest, IsRefusedWhenItHoldsAnything) {
  test::write_file(at("precious"), "data");
  EXPECT_EQ(refusal(),
            "The output directory '" + output_ + "' is not empty; name one that does not exist yet, or empty it.");
  EXPECT_EQ(test::read_file(at("precious")), "data");
}

TEST_F(OutputDirectoryTest, IsRefusedWhenItIsAFile) {
  test::write_file(output_, "a file");
  EXPECT_NE(refusal().find("is a file"), std::string::npos);
}

TEST_F(OutputDirectoryTest, IsRefusedWhereNothingCanBeMade) {
  test::write_file(directory_ / "deep", "a file in its way");
  EXPECT_NE(refusal().find(output_), std::string::npos);
}

TEST_F(OutputDirectoryTest, HasOneClaimWhateverTheNameItIsReachedBy) {
  ASSERT_TRUE(claim());
  EXPECT_NE(refusal("ours-2").find("is being used by another job"), std::string::npos);
  fs::create_directory_symlink(directory_ / "deep", directory_ / "link");
  const ClaimOutcome linked = Output::at(directory_ / "link/out", "ours-2")->claim();
  ASSERT_FALSE(linked.status);
  EXPECT_NE(linked.status.error().message.find("is being used by another job"), std::string::npos);
  EXPECT_FALSE(fs::exists(at("_attempts/ours-2")));
}

TEST_F(OutputDirectoryTest, IsRefusedInAnotherOutputAndNotBesideARemainOfOne) {
  fs::create_directories(directory_ / "deep/_attempts");  // a power cut has brought it back
  EXPECT_TRUE(claim());
  ASSERT_TRUE(discard(0));
  fs::create_directories(directory_ / "deep/_attempts/theirs-1");
  EXPECT_FALSE(claim());
  fs::remove_all(directory_ / "deep/_attempts");
  test::write_file(directory_ / "deep/_attempts", "no directory, but a mark");
  EXPECT_FALSE(claim());
}

// As in /tmp: anybody may leave a file there.
TEST_F(OutputDirectoryTest, IsNotBlockedByMarksThatSomebodyElseHasLeftAbove) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of others";
  constexpr uid_t kOther = 65534;
  const std::string above = directory_ / "deep";
  fs::create_directories(above);
  for (const std::string name : {"_SUCCESS", "_manifest.json", "_attempts/theirs-1"}) {
    const std::string mark = above + "/" + name.substr(0, name.find('/'));
    test::write_file(above + "/" + name, "");
    ASSERT_EQ(::chown(mark.c_str(), kOther, kOther), 0);
    EXPECT_TRUE(claim()) << name;
    ASSERT_TRUE(discard(0));
    fs::create_directories(above);
    ASSERT_EQ(::chown(above.c_str(), kOther, kOther), 0);  // its own directory, its own output
    EXPECT_FALSE(claim()) << name;
    ASSERT_EQ(::chown(above.c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(mark.c_str(), 0, 0), 0);
    EXPECT_FALSE(claim()) << name;
    fs::remove_all(mark);
  }
}

TEST_F(OutputDirectoryTest, NamesAClaimInTheWayUnlessItHasOutput) {
  ASSERT_TRUE(claim());
  EXPECT_EQ(idle_claim(), kOurs);
  test::write_file(at("_attempts/ours-1/t00000-a0"), "of a job that may still run");
  EXPECT_EQ(idle_claim(), "");
  fs::remove(at("_attempts/ours-1/t00000-a0"));
  test::write_file(at("part-m-00000"), "data");
  EXPECT_EQ(idle_claim(), "");
}

TEST_F(OutputDirectoryTest, DisappearsWithPartsOfAnyEnding) {
  ASSERT_TRUE(claim());
  test::write_file(at("part-m-00001.jsonl.zst"), "of an unfinished commit");
  ASSERT_TRUE(Output::at(output_, kOurs)->discard(2, ".jsonl.zst"));
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(OutputDirectoryTest, DisappearsWhenItIsDiscarded) {
  ASSERT_TRUE(claim());
  test::write_file(at("_attempts/ours-1/t00000-a0"), "half");
  test::write_file(at("part-m-00001"), "of an unfinished commit");
  ASSERT_TRUE(discard(2));
  EXPECT_FALSE(fs::exists(output_));
  EXPECT_TRUE(discard(2));
}

TEST_F(OutputDirectoryTest, IsClearedAfterACrashInTheMiddleOfAClaimOrADiscard) {
  fs::create_directories(at("_attempts.of-ours-1"));
  EXPECT_EQ(idle_claim(), kOurs);
  ASSERT_TRUE(discard(0));
  EXPECT_FALSE(fs::exists(output_));
  test::write_file(at("_attempts.of-ours-1/ours-1/t00000-a0"), "half");
  ASSERT_TRUE(discard(0, "ours-2"));
  EXPECT_TRUE(fs::exists(at("_attempts.of-ours-1")));
  ASSERT_TRUE(discard(0));
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(OutputDirectoryTest, IsNotDiscardedByAnotherJob) {
  ASSERT_TRUE(claim("ours-2"));
  test::write_file(at("part-m-00000"), "theirs");
  ASSERT_TRUE(discard(1));
  EXPECT_TRUE(fs::exists(at("_attempts/ours-2")));
  EXPECT_TRUE(fs::exists(at("part-m-00000")));
}

TEST_F(OutputDirectoryTest, IsNotDiscardedThroughALinkBelowIt) {
  const std::string precious = directory_ / "elsewhere/ours-1/precious";
  test::write_file(precious, "theirs");
  for (const std::string above : {"_attempts", "_attempts.of-ours-1"}) {
    fs::create_directories(output_);
    fs::create_directory_symlink(directory_ / "elsewhere", at(above));
    EXPECT_TRUE(discard(1)) << above;
    EXPECT_TRUE(fs::exists(precious)) << above;
    fs::remove_all(output_);
    fs::create_directories(at(above));
    fs::create_directory_symlink(directory_ / "elsewhere/ours-1", at(above + "/ours-1"));
    EXPECT_TRUE(discard(1)) << above;
    EXPECT_TRUE(fs::exists(precious)) << above << "/ours-1";
    fs::remove_all(output_);
  }
}

TEST_F(OutputDirectoryTest, StaysWithWhatIsNotOursWhenItIsDiscarded) {
  ASSERT_TRUE(claim());
  test::write_file(at("notes"), "mine");
  ASSERT_TRUE(discard(1));
  EXPECT_EQ(test::read_file(at("notes")), "mine");
  EXPECT_FALSE(fs::exists(at("_attempts")));
}

TEST_F(OutputDirectoryTest, KeepsASuccessAndItsPartsWhenItIsDiscarded) {
  ASSERT_TRUE(claim());
  test::write_file(at("part-m-00000"), "answer");
  test::write_file(at("_SUCCESS"), "");
  ASSERT_TRUE(discard(1));
  EXPECT_EQ(test::read_file(at("part-m-00000")), "answer");
  EXPECT_FALSE(fs::exists(at("_attempts")));
}

}  // namespace
}  // namespace ontime::master
