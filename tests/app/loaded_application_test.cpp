#include "common/app/loaded_application.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace ontime::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kDirectories = {"/nonexistent", ONTIME_TEST_APPS};

std::string load_error(std::string_view name) {
  const auto loaded = LoadedApplication::load(name, kDirectories);
  EXPECT_FALSE(loaded);
  if (loaded) return "";
  EXPECT_EQ(loaded.error().kind, ErrorKind::BadInput);
  return loaded.error().message;
}

TEST(LoadedApplication, IsFoundByNameInTheFirstDirectoryThatHasIt) {
  const auto loaded = LoadedApplication::load("probe", kDirectories);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->name(), "probe");
  EXPECT_EQ(loaded->path(), std::string(ONTIME_TEST_APPS) + "/libontime_app_probe.so");
  EXPECT_EQ(loaded->application().description(), "copies its input, or misbehaves");
}

TEST(LoadedApplication, IsFoundByPath) {
  const auto loaded = LoadedApplication::load(std::string(ONTIME_TEST_APPS) + "/libontime_app_probe.so", {});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->name(), "probe");
}

TEST(LoadedApplication, AnUnknownNameListsWhatThereIs) {
  EXPECT_EQ(load_error("prob"), "there is no application 'prob' in /nonexistent, " ONTIME_TEST_APPS
                                "; did you mean 'probe'?");
  const auto loaded = LoadedApplication::load("x", {"/nonexistent"});
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("(nor any other); name its directory with --app-dir"));
}

TEST(LoadedApplication, AFileThatIsNoApplicationIsRefusedWithItsPath) {
  EXPECT_THAT(load_error("nothing"), HasSubstr("libontime_app_nothing.so is no application of ontime"));
  EXPECT_THAT(load_error("outdated"), HasSubstr("was built for interface 4000000000, this program has interface 6"));
  EXPECT_THAT(load_error("/etc/passwd"), StartsWith("cannot load the application /etc/passwd: "));
  EXPECT_THAT(load_error("./missing.so"), StartsWith("cannot load the application ./missing.so: "));
}

TEST(LoadedApplication, ParametersAreCompletedWithDefaults) {
  const auto loaded = LoadedApplication::load("probe", kDirectories);
  const auto values = loaded->complete({{"mode", "crash"}});
  ASSERT_TRUE(values);
  EXPECT_EQ(values->get("mode"), "crash");
  EXPECT_EQ(values->get("record-bytes"), "0");
  EXPECT_DEATH(values->get("undeclared"), "\"undeclared\", which it has not declared");
}

TEST(LoadedApplication, AnUnknownParameterListsTheKnownOnes) {
  const auto loaded = LoadedApplication::load("probe", kDirectories);
  const auto values = loaded->complete({{"colour", "red"}});
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(values.error().message,
            "the application probe has no parameter 'colour'; choose one of: mode, record-bytes");
}

TEST(LoadedApplication, AValueTheApplicationRefusesIsReportedInItsWords) {
  const auto loaded = LoadedApplication::load("probe", kDirectories);
  const auto values = loaded->complete({{"mode", ""}});
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().message, "the application probe refuses its parameters: mode must not be empty");
}

TEST(LoadedApplication, ApplicationsAreListedSortedAndOnce) {
  EXPECT_THAT(list_applications({ONTIME_TEST_APPS, ONTIME_TEST_APPS, "/nonexistent"}),
              ElementsAre("nothing", "outdated", "probe"));
}

TEST(LoadedApplication, TheSearchPathComesFromTheEnvironmentFirst) {
  ::setenv("ONTIME_APP_PATH", "/one::/two", 1);
  const std::vector<std::string> directories = default_application_directories();
  ::unsetenv("ONTIME_APP_PATH");
  ASSERT_EQ(directories.size(), 3u);
  EXPECT_EQ(directories[0], "/one");
  EXPECT_EQ(directories[1], "/two");
  EXPECT_THAT(directories[2], testing::EndsWith("/lib/ontime/apps"));
  EXPECT_EQ(default_application_directories().size(), 1u);
}

}  // namespace
}  // namespace ontime::app
