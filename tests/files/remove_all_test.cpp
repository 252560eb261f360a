// What is removed with everything in it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>

#include "common/files/file_system.h"
#include "tests/support/temporary_directory.h"

namespace ontime::files {
namespace {

namespace fs = std::filesystem;

class RemoveAll : public testing::Test {
 protected:
  static constexpr const char* kName = "a-name-that-is-not-short";
  // So many directories, one in the other: no path is long enough for the innermost.
  void make_deep(const std::string& top, int depth) {
    ASSERT_EQ(make_directories(top), 0);
    Descriptor at = open(top, kDirectory);
    for (int i = 0; i < depth; ++i) {
      ASSERT_EQ(make_directory({at.get(), kName}), 0);
      ASSERT_TRUE(open({at.get(), "file"}, kNewFile).is_open());
      at = open({at.get(), kName}, kDirectory);
    }
  }
  static bool is_there(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0;
  }

  const test::TemporaryDirectory directory_;
  const std::string top_ = directory_ / "top";
};

TEST_F(RemoveAll, TakesFilesLinksAndWhatIsNotThere) {
  test::write_file(top_, "x");
  EXPECT_EQ(remove_all(top_), 0);
  EXPECT_FALSE(is_there(top_));
  EXPECT_EQ(remove_all(top_), 0);
  EXPECT_EQ(remove_all(top_ + "/below"), 0);
  test::write_file(directory_ / "kept/file", "x");
  fs::create_directory_symlink(directory_ / "kept", top_);
  EXPECT_EQ(remove_all(top_), 0);
  EXPECT_FALSE(is_there(top_));
  EXPECT_TRUE(is_there(directory_ / "kept/file"));
}

TEST_F(RemoveAll, TakesWideTreesAndFollowsNoLink) {
  test::write_file(directory_ / "kept/file", "x");
  for (const std::string& below : {std::string("/a"), std::string("/a/b"), std::string("/c")}) {
    for (int i = 0; i < 50; ++i) test::write_file(top_ + below + "/" + std::to_string(i), "x");
    fs::create_directory_symlink(directory_ / "kept", top_ + below + "/link");
  }
  int calls = 0;
  EXPECT_EQ(remove_all(top_, [&] { ++calls; }), 0);
  EXPECT_FALSE(is_there(top_));
  EXPECT_TRUE(is_there(directory_ / "kept/file"));
  EXPECT_GT(calls, 150);
}

TEST_F(RemoveAll, TakesATreeThatIsDeeperThanThereAreDescriptors) {
  make_deep(top_, 300);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{std::min<rlim_t>(before.rlim_cur, 64), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_EQ(remove_all(top_), 0);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(is_there(top_));
}

TEST_F(RemoveAll, TakesDirectoriesWithMoreNamesThanAreReadAtATime) {
  for (int i = 0; i < 100; ++i) {
    test::write_file(top_ + "/f" + std::to_string(i), "x");
    test::write_file(top_ + "/below/f" + std::to_string(i), "x");
    test::write_file(top_ + "/below/d" + std::to_string(i) + "/f", "x");
  }
  EXPECT_EQ(remove_all(
                top_, [] {}, 7),
            0);
  EXPECT_FALSE(is_there(top_));
}

TEST_F(RemoveAll, GivesUpWhereSomebodyKeepsMakingFiles) {
  for (const std::string& where : {top_, top_ + "/below"}) {
    ASSERT_EQ(make_directories(where), 0);
    int made = 0;
    const auto make_another = [&] {
      ASSERT_LT(++made, 100'000) << "it does not give up";
      static_cast<void>(open(where + "/" + std::to_string(made), kNewFile));
    };
    EXPECT_EQ(remove_all(top_, make_another, 5), ENOTEMPTY);
    EXPECT_EQ(remove_all(top_), 0);
  }
}

// Root may read everything, so somebody else removes it.
TEST_F(RemoveAll, TakesDirectoriesThatTheirOwnerMayNotRead) {
  constexpr uid_t kOther = 65534;
  const std::string above = directory_ / "above";
  const std::string closed = above + "/top/closed";
  test::write_file(closed + "/deep/file", "x");
  const bool is_root = ::geteuid() == 0;
  const std::string all = directory_ / "";
  for (const std::string& path : {all, above, above + "/top", closed, closed + "/deep"})
    ASSERT_TRUE(!is_root || ::chown(path.c_str(), kOther, kOther) == 0) << path;
  fs::permissions(closed + "/deep", fs::perms::none);
  fs::permissions(closed, fs::perms::none);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(is_root && ::seteuid(kOther) != 0 ? 255 : remove_all(above + "/top"));
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(is_there(above + "/top"));
}

}  // namespace
}  // namespace ontime::files
