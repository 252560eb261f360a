#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace ontime::cli {
namespace {

using testing::HasSubstr;

class UserEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_CONFIG_HOME", directory_.path().c_str(), 1);
    for (const char* name : {"ONTIME_MASTER", "ONTIME_TLS_DIR", "ONTIME_TOKEN"}) unsetenv(name);
  }
  void TearDown() override {
    for (const char* name : {"XDG_CONFIG_HOME", "ONTIME_MASTER", "ONTIME_TLS_DIR", "ONTIME_TOKEN"}) unsetenv(name);
  }
  std::string write(const std::string& text, mode_t mode = 0600) {
    const std::string path = directory_ / "ontime/environment";
    test::write_file(path, text);
    chmod(path.c_str(), mode);
    return path;
  }
  static std::string value_of(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "(not set)" : value;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(UserEnvironment, ItsLinesAreVariablesAndThoseThatAreSetComeFirst) {
  write("# mine\n\nONTIME_MASTER=there:1\nONTIME_TLS_DIR=/a=b\n");
  setenv("ONTIME_MASTER", "here:2", 1);
  ASSERT_TRUE(apply_user_environment());
  EXPECT_EQ(value_of("ONTIME_MASTER"), "here:2");
  EXPECT_EQ(value_of("ONTIME_TLS_DIR"), "/a=b");
}

TEST_F(UserEnvironment, AccessPointsAreInTheCacheOfTheUserOrWhereTheVariableSays) {
  const test::TemporaryDirectory home;
  const std::string before = value_of("HOME");
  for (const char* name : {"ONTIME_CACHE_DIR", "XDG_CACHE_HOME"}) unsetenv(name);
  setenv("HOME", home.path().c_str(), 1);
  EXPECT_EQ(prepare_access_points(), home / ".cache/ontime/access-points");
  setenv("XDG_CACHE_HOME", (home / "x").c_str(), 1);
  EXPECT_EQ(prepare_access_points(), home / "x/ontime/access-points");
  setenv("ONTIME_CACHE_DIR", (home / "y").c_str(), 1);
  EXPECT_EQ(prepare_access_points(), home / "y/access-points");
  EXPECT_TRUE(std::filesystem::is_directory(home / "y"));
  setenv("ONTIME_CACHE_DIR", "", 1);
  EXPECT_EQ(prepare_access_points(), "");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", before.c_str(), 1);
}

TEST_F(UserEnvironment, NoFileIsNoError) { EXPECT_TRUE(apply_user_environment()); }

TEST_F(UserEnvironment, WrongLinesAreNamed) {
  const std::string path = write("ONTIME_MASTER=a:1\nONTIME_MASTR=b\n");
  const Status misspelt = apply_user_environment();
  ASSERT_FALSE(misspelt);
  EXPECT_EQ(misspelt.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(misspelt.error().message,
            path + ", line 2: there is no variable 'ONTIME_MASTR'; did you mean 'ONTIME_MASTER'?");
  write("master there\n");
  EXPECT_THAT(apply_user_environment().error().message, HasSubstr("line 1: write NAME=VALUE instead of 'master there'"));
}

TEST_F(UserEnvironment, ATokenThatEverybodyCanReadIsRefused) {
  write("ONTIME_TOKEN=secret\n", 0644);
  EXPECT_THAT(apply_user_environment().error().message, HasSubstr("chmod 600"));
  EXPECT_EQ(value_of("ONTIME_TOKEN"), "(not set)");
}

}  // namespace
}  // namespace ontime::cli
