#include "cli/application_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ontime::cli {
namespace {

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

TEST(ApplicationCheckTest, AnswersTheSameAgain) {
  const JobOptions options = probe("validate-exits");
  ApplicationCheck check(options);
  const std::string first = check.wait().error().message;
  EXPECT_EQ(check.wait().error().message, first);
}

// Were it waited for, this test would not end.
TEST(ApplicationCheckTest, WhatIsNotWaitedForIsKilled) {
  const JobOptions options = probe("validate-hangs");
  const ApplicationCheck check(options);
}

}  // namespace
}  // namespace ontime::cli
