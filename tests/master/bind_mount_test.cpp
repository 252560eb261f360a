// A directory that has two names by a bind mount is one directory: claims go by what it is and where it lies.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "master/outputs/output.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

class BindMount : public testing::Test {
 protected:
  void SetUp() override {
    // Of this process alone, so nothing is left of them whatever happens.
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      GTEST_SKIP() << "NOT TESTED: this user may not mount: " << std::strerror(errno);
  }
  void TearDown() override {
    for (auto mounted = mounted_.rbegin(); mounted != mounted_.rend(); ++mounted)
      EXPECT_EQ(::umount(mounted->c_str()), 0) << *mounted;
  }
  std::string at(const std::string& name) const { return directory_ / name; }
  // From now on `other` is `name` too.
  void bind(const std::string& name, const std::string& other) {
    fs::create_directories(at(name));
    fs::create_directories(at(other));
    ASSERT_EQ(::mount(at(name).c_str(), at(other).c_str(), nullptr, MS_BIND, nullptr), 0) << std::strerror(errno);
    mounted_.push_back(at(other));
  }
  Status claim(const std::string& name, const std::string& id) { return Output::at(at(name), id)->claim().status; }
  std::string refusal(const std::string& name) {
    const Status status = claim(name, "theirs-1");
    EXPECT_FALSE(status) << name;
    return status ? "" : status.error().message;
  }

  test::TemporaryDirectory directory_;
  std::vector<std::string> mounted_;
};

TEST_F(BindMount, OfAnOutputIsThatOutput) {
  bind("out", "other");
  ASSERT_TRUE(claim("out", "ours-1"));
  EXPECT_NE(refusal("other").find("is being used by another job"), std::string::npos);
  EXPECT_NE(refusal("other/below").find("which is the output of a job"), std::string::npos);
  ASSERT_TRUE(Output::at(at("other"), "ours-1")->discard(0)) << "it is found by either name";
  EXPECT_TRUE(claim("other", "theirs-1"));
  EXPECT_NE(refusal("out").find("is being used by another job"), std::string::npos);
}

TEST_F(BindMount, OfADirectoryAboveIsNoWayInOrAround) {
  bind("deep", "other");
  ASSERT_TRUE(claim("other/out", "ours-1"));
  EXPECT_NE(refusal("deep/out").find("is being used by another job"), std::string::npos);
  EXPECT_NE(refusal("deep/out/below").find("which is the output of a job"), std::string::npos);
  EXPECT_NE(refusal("deep").find("is not empty"), std::string::npos);
}

// A directory and the one above it are the same there, as they are at the root.
TEST_F(BindMount, OfADirectoryWithinItselfHidesNothingAbove) {
  ASSERT_TRUE(claim("out", "ours-1"));
  bind("out/a", "out/a/b");
  EXPECT_NE(refusal("out/a/b/below").find("which is the output of a job"), std::string::npos);
  EXPECT_NE(refusal("out/a/b/b").find("which is the output of a job"), std::string::npos);
}

}  // namespace
}  // namespace ontime::master
