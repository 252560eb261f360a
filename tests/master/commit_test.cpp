// The commit of a job's output: every shape a task can have, and a crash after every step.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/base/crc32c.h"
#include "master/outputs/output.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

constexpr const char* kClaim = "ours-1";

bool always() { return true; }

class CommitTest : public testing::Test {
 protected:
  CommitTest() {
    plan_.manifest.claim = kClaim;
    fs::create_directories(attempt(""));
  }

  std::string attempt(const std::string& name) const {
    return output::attempts_directory(output_, kClaim) + "/" + name;
  }
  void make_attempt(const std::string& name, const std::string& bytes) { test::write_file(attempt(name), bytes); }

  // One more task, from these extents.
  void add_task(bool may_rename, const std::vector<Extent>& extents) {
    const auto index = static_cast<std::uint32_t>(plan_.parts.size());
    Part part{part_file_name(index), 0, extents, may_rename};
    output::Task task{index, 0, {index * 100u, index * 100u + 100}, part.name, {}};
    for (const Extent& extent : extents) part.length += extent.length;
    plan_.parts.push_back(part);
    plan_.manifest.tasks.push_back(task);
    plan_.manifest.inputs = {{"/input", 1'000'000, "0", "plain"}};
  }

  // What the directory holds, the manifest apart.
  Files files() const {
    Files all;
    for (const auto& entry : fs::recursive_directory_iterator(output_)) {
      const std::string name = entry.path().lexically_relative(output_);
      if (entry.is_regular_file() && name != output::kManifestName) all[name] = test::read_file(entry.path());
    }
    return all;
  }

  Status publish(const MayGoOn& may_go_on) {
    PublishOutcome outcome = Output::at(output_, plan_.manifest.claim)->publish(plan_, may_go_on);
    lost_ = std::move(outcome.lost);
    return std::move(outcome.status);
  }
  void commit() {
    const Status status = publish(always);
    ASSERT_TRUE(status) << status.error().message;
  }

  test::TemporaryDirectory directory_;
  const std::string output_ = directory_ / "out";
  CommitPlan plan_;
  std::vector<std::uint32_t> lost_;  // of the latest try
};

TEST_F(CommitTest, RenamesTheFileOfATaskThatOneAttemptMapped) {
  make_attempt("t00000-a0", "one\n");
  struct stat before {};
  ASSERT_EQ(::stat(attempt("t00000-a0").c_str(), &before), 0);
  add_task(true, {{"t00000-a0", 0, 4}});
  commit();
  EXPECT_EQ(files(), (Files{{"part-m-00000", "one\n"}, {"_SUCCESS", ""}}));
  struct stat after {};
  ASSERT_EQ(::stat((output_ + "/part-m-00000").c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_FALSE(fs::exists(output_ + "/_attempts"));
  EXPECT_TRUE(output::read_manifest(output_));
}

TEST_F(CommitTest, CutsOffWhatWasNeverSealed) {
  make_attempt("t00000-a0", "sealed|garbage");
  add_task(true, {{"t00000-a0", 0, 6}});
  commit();
  EXPECT_EQ(files()["part-m-00000"], "sealed");
}

TEST_F(CommitTest, CopiesTheFileOfAnAttemptThatMayStillWrite) {
  make_attempt("t00000-a0", "sealed");
  fs::create_hard_link(attempt("t00000-a0"), directory_ / "still-open");
  add_task(false, {{"t00000-a0", 0, 6}});
  commit();
  test::write_file(directory_ / "still-open", "late writes");
  EXPECT_EQ(files()["part-m-00000"], "sealed");
}

TEST_F(CommitTest, StitchesSeveralAttemptsInOrder) {
  make_attempt("t00000-a0", "AAAxxxBBB");
  make_attempt("t00000-a1", "..CCCC");
  add_task(false, {{"t00000-a0", 6, 3}, {"t00000-a1", 2, 4}, {"t00000-a0", 0, 3}});
  commit();
  EXPECT_EQ(files(), (Files{{"part-m-00000", "BBBCCCCAAA"}, {"_SUCCESS", ""}}));
}

TEST_F(CommitTest, StitchesMoreThanABufferHolds) {
  std::string large(3'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 7) large[i] = static_cast<char>('a' + i % 26);
  make_attempt("t00000-a0", large);
  make_attempt("t00000-a1", large);
  add_task(false, {{"t00000-a0", 1, 2'999'999}, {"t00000-a1", 0, 1'500'000}});
  commit();
  EXPECT_EQ(crc32c(files()["part-m-00000"]), crc32c(large.substr(1) + large.substr(0, 1'500'000)));
}

TEST_F(CommitTest, MakesAnEmptyPartForATaskWithoutOutput) {
  add_task(false, {});
  commit();
  EXPECT_EQ(files(), (Files{{"part-m-00000", ""}, {"_SUCCESS", ""}}));
}

TEST_F(CommitTest, DropsWhatLosersHaveLeft) {
  make_attempt("t00000-a0", "won");
  make_attempt("t00000-a1", "lost");
  add_task(true, {{"t00000-a0", 0, 3}});
  commit();
  EXPECT_EQ(files(), (Files{{"part-m-00000", "won"}, {"_SUCCESS", ""}}));
}

TEST_F(CommitTest, HasNothingToDoOnceThereIsASuccess) {
  make_attempt("t00000-a0", "one");
  add_task(true, {{"t00000-a0", 0, 3}});
  commit();
  commit();
  EXPECT_EQ(files(), (Files{{"part-m-00000", "one"}, {"_SUCCESS", ""}}));
}

TEST_F(CommitTest, NamesAnAttemptFileThatIsMissing) {
  add_task(true, {{"t00000-a0", 0, 3}});
  const Status status = publish(always);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find(attempt("t00000-a0")), std::string::npos) << status.error().message;
  EXPECT_EQ(lost_, std::vector<std::uint32_t>{0});
  EXPECT_FALSE(fs::exists(output_ + "/_SUCCESS"));
}

TEST_F(CommitTest, NamesAnAttemptFileThatIsTooShort) {
  make_attempt("t00000-a0", "12");
  add_task(true, {{"t00000-a0", 0, 3}});
  const Status status = publish(always);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("is shorter than what was sealed"), std::string::npos);
  EXPECT_EQ(lost_, std::vector<std::uint32_t>{0});
  EXPECT_FALSE(fs::exists(output_ + "/_SUCCESS"));
}

TEST_F(CommitTest, PlacesWhatIsThereAndGoesOnWhenTheRestIsMappedAgain) {
  add_task(true, {{"t00000-a0", 0, 3}});
  make_attempt("t00001-a0", "one");
  add_task(true, {{"t00001-a0", 0, 3}});
  make_attempt("t00002-a0", "tw");
  add_task(false, {{"t00002-a0", 0, 2}, {"t00002-a1", 0, 1}});
  EXPECT_FALSE(publish(always));
  EXPECT_EQ(lost_, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(files()["part-m-00001"], "one");
  EXPECT_FALSE(files().contains("part-m-00000") || files().contains("part-m-00002"));
  make_attempt("t00000-a1", "zero");
  plan_.parts[0] = {"part-m-00000", 4, {{"t00000-a1", 0, 4}}, true};
  make_attempt("t00002-a2", "two");
  plan_.parts[2] = {"part-m-00002", 3, {{"t00002-a2", 0, 3}}, true};
  commit();
  EXPECT_EQ(lost_, std::vector<std::uint32_t>{});
  EXPECT_EQ(files(),
            (Files{{"part-m-00000", "zero"}, {"part-m-00001", "one"}, {"part-m-00002", "two"}, {"_SUCCESS", ""}}));
}

// What is mapped again could be stored nowhere.
TEST_F(CommitTest, LosesItsDirectoryAndNotSomeOfItsFiles) {
  add_task(true, {{"t00000-a0", 0, 3}});
  int looks = 0;
  const Status status = publish([&] {
    if (++looks == 1) fs::remove_all(output_ + "/_attempts");
    return true;
  });
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("is not this job's any more"), std::string::npos) << status.error().message;
  EXPECT_EQ(lost_, std::vector<std::uint32_t>{});
}

TEST_F(CommitTest, NamesAnOutputDirectoryThatIsGone) {
  fs::remove_all(output_);
  const Status status = publish(always);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find(output_), std::string::npos);
}

TEST_F(CommitTest, FailsAndChangesNothingWhereAnotherJobHasTheDirectory) {
  make_attempt("t00000-a0", "one\n");
  add_task(true, {{"t00000-a0", 0, 4}});
  const Files before = files();
  plan_.manifest.claim = "ours-2";
  const Status status = publish(always);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("is not this job's any more"), std::string::npos) << status.error().message;
  EXPECT_EQ(files(), before);
}

TEST_F(CommitTest, TakesNoSuccessForItsOwnThatItDidNotWrite) {
  make_attempt("t00000-a0", "one\n");
  add_task(true, {{"t00000-a0", 0, 4}});
  const std::string success = output_ + "/_SUCCESS";
  const auto expect_failure = [&](const MayGoOn& may_go_on) {
    const Status status = publish(may_go_on);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("holds a _SUCCESS that this job did not write"), std::string::npos);
    EXPECT_EQ(test::read_file(success), "theirs");
    EXPECT_FALSE(fs::exists(output_ + "/_manifest.json"));
  };
  test::write_file(success, "theirs");
  expect_failure(always);
  fs::remove(success);
  expect_failure([&] {  // at the last moment
    if (fs::exists(output_ + "/_manifest.json")) test::write_file(success, "theirs");
    return true;
  });
}

TEST_F(CommitTest, FollowsNoLinkBelowItsDirectory) {
  make_attempt("t00000-a0", "one\n");
  add_task(true, {{"t00000-a0", 0, 4}});
  for (const std::string& place : {output_ + "/_attempts", output_ + "/_attempts/" + kClaim}) {
    fs::rename(place, directory_ / "moved");
    fs::create_directory_symlink(directory_ / "moved", place);
    EXPECT_FALSE(publish(always)) << place;
    EXPECT_FALSE(fs::exists(output_ + "/part-m-00000"));
    fs::remove(place);
    fs::rename(directory_ / "moved", place);
  }
  commit();
}

// The manifest says that it is the job's; a link is where a claim that ends has its name.
TEST_F(CommitTest, IsNotDiscardedThroughALinkInPlaceOfAnEndedClaim) {
  make_attempt("t00000-a0", "one\n");
  add_task(true, {{"t00000-a0", 0, 4}});
  commit();
  fs::remove(output_ + "/_SUCCESS");
  test::write_file(directory_ / "elsewhere/file", "precious");
  test::write_file(directory_ / "elsewhere/ours-1/file", "precious");
  fs::create_directory_symlink(directory_ / "elsewhere", output_ + "/" + output::kUnfinishedClaim + kClaim);
  EXPECT_TRUE(Output::at(output_, kClaim)->discard(1));
  EXPECT_FALSE(fs::exists(output_ + "/part-m-00000"));
  EXPECT_TRUE(fs::exists(directory_ / "elsewhere/file"));
  EXPECT_TRUE(fs::exists(directory_ / "elsewhere/ours-1/file"));
}

TEST_F(CommitTest, TakesItsSuccessBackIfItCannotBeMadeToLast) {
  make_attempt("t00000-a0", "one\n");
  add_task(true, {{"t00000-a0", 0, 4}});
  const std::string elsewhere = directory_ / "elsewhere";
  const auto has_success = [&] { return fs::exists(fs::path(elsewhere) / output::kSuccessName); };
  // The directory is moved away when everything but _SUCCESS is done: what follows happens in it, its sync does not.
  const Status status = publish([&] {
    const bool is_nearly_done = fs::exists(output_) && fs::exists(fs::path(output_) / output::kManifestName) &&
                                !fs::exists(fs::path(output_) / "_attempts");
    if (is_nearly_done) fs::rename(output_, elsewhere);
    return true;
  });
  EXPECT_FALSE(status);
  EXPECT_TRUE(fs::exists(fs::path(elsewhere) / "part-m-00000"));
  EXPECT_FALSE(has_success());
}

// The claim is gone by then; fault schedules found that the parts stayed.
TEST_F(CommitTest, ThatFailsAtItsLastStepCanBeDiscarded) {
  make_attempt("t00000-a0", "one\n");
  add_task(true, {{"t00000-a0", 0, 4}});
  const std::string elsewhere = directory_ / "elsewhere";
  const Status status = publish([&] {
    const bool is_nearly_done =
        fs::exists(output_ + "/" + output::kManifestName) && !fs::exists(output_ + "/_attempts");
    if (is_nearly_done) fs::rename(output_, elsewhere);  // so that it is not in its place at the end
    return true;
  });
  EXPECT_FALSE(status);
  fs::rename(elsewhere, output_);
  EXPECT_TRUE(fs::exists(output_ + "/part-m-00000"));
  ASSERT_TRUE(Output::at(output_, kClaim)->discard(1));
  EXPECT_FALSE(fs::exists(output_));
}

// Stops the commit after its first step, as a crash would, and commits again. Then after its second, and so on.
TEST_F(CommitTest, CanBeRepeatedAfterACrashAtAnyStep) {
  const Files expected = {{"part-m-00000", "renamed"},  {"part-m-00001", "cut"},         {"part-m-00002", ""},
                          {"part-m-00003", "stitched"}, {"part-m-00004", "renamed too"}, {"_SUCCESS", ""}};
  int crashes = 0;
  for (bool whole = false; !whole; ++crashes) {
    SCOPED_TRACE("crash after step " + std::to_string(crashes));
    fs::remove_all(output_);
    plan_.parts.clear();
    plan_.manifest.tasks.clear();
    make_attempt("t00000-a0", "renamed");
    add_task(true, {{"t00000-a0", 0, 7}});
    make_attempt("t00001-a2", "cut and more");
    add_task(true, {{"t00001-a2", 0, 3}});
    add_task(false, {});
    make_attempt("t00003-a0", "stit....");
    make_attempt("t00003-a1", "..ched");
    add_task(false, {{"t00003-a0", 0, 4}, {"t00003-a1", 2, 4}});
    make_attempt("t00004-a0", "renamed too");
    add_task(true, {{"t00004-a0", 0, 11}});
    int steps = 0;
    const Status status = publish([&] { return steps++ < crashes; });
    whole = status.has_value();
    EXPECT_EQ(fs::exists(output_ + "/_SUCCESS"), whole);
    if (fs::exists(output_ + "/_manifest.json")) {
      EXPECT_EQ(files()["part-m-00003"], "stitched");  // nothing is described before it is there
    }
    commit();
    EXPECT_EQ(files(), expected);
    EXPECT_EQ(output::read_manifest(output_)->tasks.size(), 5u);
  }
  EXPECT_GT(crashes, 8);
}

// A master that led stood still before any of its steps, and goes on when another one has committed the job. Fault
// schedules found that it removed a part.
TEST_F(CommitTest, ChangesNothingWhereAnotherMasterHasCommittedMeanwhile) {
  int still = 0;
  for (bool has_stood_still = true; has_stood_still; ++still) {
    SCOPED_TRACE("stands still at step " + std::to_string(still));
    fs::remove_all(output_);
    plan_.parts.clear();
    plan_.manifest.tasks.clear();
    make_attempt("t00000-a0", "renamed");
    add_task(true, {{"t00000-a0", 0, 7}});
    make_attempt("t00001-a0", "stit....");
    make_attempt("t00001-a1", "..ched");
    add_task(false, {{"t00001-a0", 0, 4}, {"t00001-a1", 2, 4}});
    int steps = 0;
    has_stood_still = false;
    static_cast<void>(publish([&] {
      if (steps++ == still) {
        has_stood_still = true;
        commit();
      }
      return true;
    }));
    EXPECT_EQ(files(), (Files{{"part-m-00000", "renamed"}, {"part-m-00001", "stitched"}, {"_SUCCESS", ""}}));
    EXPECT_TRUE(output::read_manifest(output_));
  }
  EXPECT_GT(still, 5);
}

}  // namespace
}  // namespace ontime::master
