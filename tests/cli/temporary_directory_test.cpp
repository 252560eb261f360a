#include "common/files/temporary_directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cli/scratch.h"

namespace ontime::cli {
namespace {

namespace fs = std::filesystem;

class TemporaryDirectoryTest : public testing::Test {
 protected:
  TemporaryDirectoryTest() { setenv("TMPDIR", scratch_.path().c_str(), 1); }
  ~TemporaryDirectoryTest() override { unsetenv("TMPDIR"); }
  Scratch scratch_;
};

TEST_F(TemporaryDirectoryTest, GoesWithItsObjectAndEverythingInIt) {
  {
    const auto directory = files::TemporaryDirectory::make();
    ASSERT_TRUE(directory);
    EXPECT_EQ(fs::path((*directory)->path()).parent_path(), scratch_.path());
    fs::create_directories((*directory)->path() + "/journal/deep");
  }
  EXPECT_TRUE(fs::is_empty(scratch_.path()));
}

TEST_F(TemporaryDirectoryTest, LeftOversOfTheDeadAreRemovedAndTheLivingAreLeftAlone) {
  const auto living = files::TemporaryDirectory::make();
  ASSERT_TRUE(living);
  const pid_t child = fork();
  if (child == 0) {
    const auto left = files::TemporaryDirectory::make();
    _exit(left ? 0 : 1);  // without destructors, as after SIGKILL
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  fs::create_directory(scratch_ / "ontime-run-begun");  // no lock file yet: somebody is about to make it
  fs::create_directory(scratch_ / "somebody-else");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), {}), 4);
  files::TemporaryDirectory::remove_left_overs();
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), {}), 3);
  EXPECT_TRUE(fs::exists((*living)->path()));
}

TEST_F(TemporaryDirectoryTest, NoRoomIsSaid) {
  setenv("TMPDIR", "/nowhere", 1);
  const auto directory = files::TemporaryDirectory::make();
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, testing::HasSubstr("TMPDIR"));
}

}  // namespace
}  // namespace ontime::cli
