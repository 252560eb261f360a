#include "cli/application_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "cli/cluster/interrupt.h"
#include "tests/support/temporary_directory.h"

namespace ontime::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

JobOptions probe(const std::string& mode) {
  JobOptions options;
  options.application = "probe";
  options.application_directories = {ONTIME_TEST_APPS};
  options.parameters = {{"mode", mode}};
  return options;
}

TEST(ApplicationCheckTest, KnowsWhichParametersAnApplicationTakes) {
  JobOptions options = probe("");
  EXPECT_THAT(check_application(options).error().message, HasSubstr("mode must not be empty"));
  options.parameters = {};
  EXPECT_TRUE(check_application(options));
}

TEST(ApplicationCheckTest, AnApplicationThatCrashesIsAnErrorAndNoCrashOfOurs) {
  const Status crashed = check_application(probe("validate-crashes"));
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(crashed.error().message, "application 'probe' crashed while it checked its parameters: Segmentation fault");
}

TEST(ApplicationCheckTest, AnApplicationThatEndsTheProcessHasNotAccepted) {
  const Status ended = check_application(probe("validate-exits"));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(
      ended.error().message,
      "application 'probe' ended the process, with exit code 0, while it checked its parameters; it has to return "
      "or to throw");
}

TEST(ApplicationCheckTest, AnInterruptEndsIt) {
  const auto interrupt = [] {
    install_interrupt_handlers();
    raise(SIGINT);
    const Status ended = check_application(probe("validate-hangs"));
    _exit(ended ? 1 : ended.error().message.starts_with("interrupted") ? 0 : 2);
  };
  EXPECT_EXIT(interrupt(), testing::ExitedWithCode(0), "");
}

// Any user who may write there would run what he likes as the one who submits.
TEST(ApplicationCheckTest, AnApplicationThatOthersMayChangeIsNotLoaded) {
  const test::TemporaryDirectory directory;
  JobOptions options = probe("");
  options.parameters = {};
  const std::string name = "libontime_app_probe.so";
  fs::create_directory(directory / "apps");
  fs::copy_file(fs::path(ONTIME_TEST_APPS) / name, directory / "apps/" + name);
  options.application_directories = {directory / "apps"};
  EXPECT_TRUE(check_application(options)) << check_application(options).error().message;
  fs::permissions(directory / "apps", fs::perms::all);
  const Status refused = check_application(options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(directory / "apps"));
}

TEST(ApplicationCheckTest, ANameIsKnownOrNot) {
  EXPECT_TRUE(is_application(probe("")));
  JobOptions options = probe("");
  options.application = "prob";
  EXPECT_FALSE(is_application(options));
}

}  // namespace
}  // namespace ontime::cli
