#include "worker/agent/job_resources.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temporary_directory.h"

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
  EXPECT_EQ(*files.make_directory(1, wire::JobSetup()), "");
}

TEST(JobFiles, LieInTheDirectoryOfEachRunnerOnce) {
  JobFiles files;
  const auto first = files.make_directory(1, setup_with(1, "mapper.py", "print()"));
  const auto second = files.make_directory(2, setup_with(2, "other.py", "print()"));
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
  const auto plain = files.make_directory(1, setup_with(1, "a", "#!/bin/sh\n"));
  const auto executable = files.make_directory(2, setup_with(1, "a", "#!/bin/sh\n", true));
  struct stat status {};
  ASSERT_EQ(::stat((*plain + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0444u);
  ASSERT_EQ(::stat((*executable + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0555u);
}

TEST(JobFiles, AreGoneWithTheirJobAndTheWorker) {
  std::string root;
  {
    JobFiles files;
    const auto directory = files.make_directory(1, setup_with(1, "a", "x"));
    root = fs::path(*directory).parent_path();
    const std::string content = fs::read_symlink(*directory + "/a");
    files.forget(JobId{1});
    EXPECT_FALSE(fs::exists(content));
  }
  EXPECT_FALSE(fs::exists(root));
}

}  // namespace
}  // namespace ontime::worker
