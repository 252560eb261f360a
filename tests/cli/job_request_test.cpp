#include "cli/job_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "common/base/clock_time.h"
#include "tests/cli/scratch.h"

namespace ontime::cli {
namespace {

using testing::HasSubstr;

JobOptions options_with(std::vector<std::string> inputs) {
  JobOptions options;
  options.application = "wordcount";
  options.inputs = std::move(inputs);
  options.output = "out/";
  return options;
}

TEST(JobRequest, AJobIsLocalIfNeitherInputsNorOutputAreElsewhere) {
  EXPECT_TRUE(is_local_only(options_with({"a.txt", "-", "file:///b", "s3/c"})));
  for (const char* input : {"s3://bucket/a", "hdfs://host/a", "webhdfs://host/a", "http://host/a", "https://host/a"})
    EXPECT_FALSE(is_local_only(options_with({"a.txt", input}))) << input;
  JobOptions options = options_with({"a.txt"});
  options.output = "s3://bucket/out";
  EXPECT_FALSE(is_local_only(options));
}

TEST(JobRequest, PathsBecomeAbsolute) {
  const auto spec = make_job_spec(options_with({"a.txt", "/b/../c.txt", "./d/e"}), "/somewhere");
  EXPECT_EQ(spec.inputs(0), "/somewhere/a.txt");
  EXPECT_EQ(spec.inputs(1), "/c.txt");
  EXPECT_EQ(spec.inputs(2), "/somewhere/d/e");
  EXPECT_EQ(spec.output(), "/somewhere/out");
  EXPECT_EQ(spec.application(), "wordcount");
}

TEST(JobRequest, GlobsAndFileAddressesStayWhatTheyAre) {
  const auto spec = make_job_spec(options_with({"*.txt", "/a/b?.gz", "file:///x%20y", "{a,b}"}), "/odd[dir]{}");
  EXPECT_EQ(spec.inputs(0), "/odd\\[dir]\\{}/*.txt");
  EXPECT_EQ(spec.inputs(3), "/odd\\[dir]\\{}/{a,b}");
  EXPECT_EQ(spec.inputs(1), "/a/b?.gz");
  EXPECT_EQ(spec.inputs(2), "file:///x%20y");
}

TEST(JobRequest, AFileWithGlobCharactersInItsNameIsThatFile) {
  const Scratch scratch;
  scratch.file("a[1].txt", "x");
  EXPECT_EQ(make_job_spec(options_with({"a[1].txt"}), scratch.path()).inputs(0), scratch / "a[1].txt");
}

TEST(JobRequest, AnApplicationWithASlashIsAPath) {
  auto options = options_with({"a"});
  options.application = "build/libontime_app_mine.so";
  EXPECT_EQ(make_job_spec(options, "/somewhere").application(), "/somewhere/build/libontime_app_mine.so");
}

TEST(JobRequest, OptionsArriveInTheSpec) {
  auto options = options_with({"a"});
  options.split_bytes = 1;
  options.deadline = std::chrono::seconds(9);
  options.attempt_timeout = std::chrono::seconds(3);
  options.parameters = {{"b", "2"}, {"a", "1"}};
  options.policy_parameters = {{"p", "q"}};
  const auto spec = make_job_spec(options, "/");
  EXPECT_EQ(spec.split_bytes(), 1u);
  EXPECT_EQ(spec.settings().deadline(), 9'000'000'000);
  EXPECT_FALSE(spec.settings().has_checkpoint_interval());  // the master knows what suits the policy
  EXPECT_EQ(spec.settings().attempt_timeout(), 3'000'000'000);
  EXPECT_EQ(spec.settings().attempts_max(), 4u);
  ASSERT_EQ(spec.parameters_size(), 2);
  EXPECT_EQ(spec.parameters(0).key(), "a");
  EXPECT_EQ(spec.settings().policy_parameters(0).value(), "q");
}

TEST(CheckFiles, NoTwoFlagsNameOneFileWhateverTheyCallIt) {
  EXPECT_TRUE(check_are_different({{"--a", "new"}, {"--b", "newer"}, {"--c", ""}, {"--d", ""}}));
  EXPECT_TRUE(check_are_different({{"--a", "/dev/null"}, {"--b", "/dev/null"}}));
  for (const char* other : {"new", "./new", "no/../new"}) {
    const auto refused = check_are_different({{"--a", "new"}, {"--b", other}});
    ASSERT_FALSE(refused) << other;
    EXPECT_THAT(refused.error().message, HasSubstr("--a and --b name the same file"));
  }
}

TEST(CheckOutput, TakesAnAbsentOrEmptyDirectoryOnly) {
  const Scratch scratch;
  EXPECT_TRUE(check_output(scratch / "new"));
  EXPECT_TRUE(check_output(scratch.path()));
  const auto file = scratch.file("precious", "mine");
  EXPECT_THAT(check_output(scratch.path()).error().message, HasSubstr("not empty"));
  EXPECT_THAT(check_output(file).error().message, HasSubstr("not a directory"));
  EXPECT_FALSE(check_output(file + "/below"));
  std::filesystem::create_directories(scratch / "left/_attempts");
  EXPECT_THAT(check_output(scratch / "left").error().message, HasSubstr("still runs or was killed"));
}

TEST(JobRequest, OfAClockTimeTheMasterGetsWhatIsLeftWhenTheJobIsSent) {
  JobOptions options;
  options.deadline = std::chrono::hours(7);  // as it was when the command line was read
  options.due_unix_ns = now_unix_ns() + Duration(std::chrono::hours(2)).count();
  const std::int64_t left = make_job_spec(options, "/").settings().deadline();
  EXPECT_LE(left, Duration(std::chrono::hours(2)).count());
  EXPECT_GT(left, Duration(std::chrono::hours(1)).count());
  EXPECT_TRUE(told_due(options).starts_with("due " + local_time(options.due_unix_ns) + ", in "));
  options.due_unix_ns = 1;
  EXPECT_GT(make_job_spec(options, "/").settings().deadline(), 0) << "0 would be no deadline";
  EXPECT_EQ(told_due({}), "");
}

}  // namespace
}  // namespace ontime::cli
