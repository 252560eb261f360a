#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/temporary_directory.h"
#include "worker/agent/job_resources.h"

namespace ontime::worker {
namespace {

namespace fs = std::filesystem;

wire::JobSetup setup_with(std::uint32_t job, const std::string& name, const std::string& content,
                          bool executable = false) {
  wire::JobSetup setup;
  setup.set_job(job);
  auto& file = *setup.add_files();
  file.set_name(name);
  file.set_content(content);
  file.set_executable(executable);
  return setup;
}

TEST(JobFiles, AJobWithoutFilesHasNoDirectory) {
  JobFiles files;
  EXPECT_EQ(*files.make_directory(1, wire::JobSetup(), 0), "");
}

TEST(JobFiles, LieInTheDirectoryOfEachRunnerOnce) {
  JobFiles files;
  const auto first = files.make_directory(1, setup_with(1, "mapper.py", "print()"), 0);
  const auto second = files.make_directory(2, setup_with(2, "other.py", "print()"), 0);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(test::read_file(*first + "/mapper.py"), "print()");
  EXPECT_EQ(fs::read_symlink(*first + "/mapper.py"), fs::read_symlink(*second + "/other.py"));
  files.forget(JobId{1});
  EXPECT_TRUE(fs::exists(*second + "/other.py"));
  files.remove_directory(1);
  EXPECT_FALSE(fs::exists(*first));
}

TEST(JobFiles, KeepWhetherTheyMayBeRun) {
  JobFiles files;
  const auto plain = files.make_directory(1, setup_with(1, "a", "#!/bin/sh\n"), 0);
  const auto executable = files.make_directory(2, setup_with(1, "a", "#!/bin/sh\n", true), 0);
  struct stat status {};
  ASSERT_EQ(::stat((*plain + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0444u);
  ASSERT_EQ(::stat((*executable + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0555u);
}

TEST(JobFiles, OfAJobWithAUserOfItsOwnAreThatUsersAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can hand files over";
  constexpr uid_t kUser = 65533;
  JobFiles files;
  const auto directory = files.make_directory(1, setup_with(1, "secret.key", "x"), kUser);
  ASSERT_TRUE(directory) << directory.error().message;
  struct stat status {};
  ASSERT_EQ(::stat(directory->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_EQ(status.st_uid, kUser);
}

// Somebody has cleaned up below /tmp.
TEST(JobFiles, AreMadeAgainWhereTheyWereRemoved) {
  JobFiles files;
  const auto first = files.make_directory(1, setup_with(1, "a", "x"), 0);
  const fs::path copy = fs::read_symlink(*first + "/a");
  for (const fs::path& removed : {copy, copy.parent_path()}) {
    fs::remove_all(removed);
    const auto again = files.make_directory(2, setup_with(1, "a", "x"), 0);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(test::read_file(*again + "/a"), "x");
    EXPECT_EQ(fs::read_symlink(*again + "/a"), copy);
    files.remove_directory(2);
  }
}

TEST(JobFiles, OfJobsThatEndedMeanwhileAreForgotten) {
  JobFiles files;
  const auto kept = files.make_directory(1, setup_with(1, "a", "x"), 0);
  const auto ended = files.make_directory(2, setup_with(2, "b", "y"), 0);
  files.forget_all_but({JobId{1}});
  EXPECT_TRUE(fs::exists(*kept + "/a"));
  EXPECT_FALSE(fs::exists(*ended + "/b"));
}

TEST(JobFiles, AreGoneWithTheirJobAndTheWorker) {
  std::string root;
  {
    JobFiles files;
    const auto directory = files.make_directory(1, setup_with(1, "a", "x"), 0);
    root = fs::path(*directory).parent_path();
    const std::string content = fs::read_symlink(*directory + "/a");
    files.forget(JobId{1});
    EXPECT_FALSE(fs::exists(content));
  }
  EXPECT_FALSE(fs::exists(root));
}

}  // namespace
}  // namespace ontime::worker
