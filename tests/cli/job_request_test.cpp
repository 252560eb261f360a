#include "cli/job_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cli/each_job.h"
#include "cli/parameter_lists.h"
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

TEST(JobRequest, SchemesMayBeWrittenInAnyCase) {
  auto options = options_with({"S3://Bucket/Key", "HTTP://Host/X", "A://b", "C/D://e"});
  options.exclude = {"Hdfs://h/X"};
  options.output = "S3://bucket/Out";
  ASSERT_TRUE(add_named_inputs(options));
  EXPECT_EQ(options.inputs, (std::vector<std::string>{"s3://Bucket/Key", "http://Host/X", "a://b", "C/D://e"}));
  EXPECT_EQ(options.exclude.front(), "hdfs://h/X");
  EXPECT_EQ(options.output, "s3://bucket/Out");
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

std::string combined(const std::vector<std::string>& words) {
  const auto lists = ParameterLists::read(words);
  if (!lists) return "refused: " + lists.error().message;
  std::string records;
  EXPECT_TRUE(lists->for_each([&](std::string_view record) { return records += record, Status(); }));
  return records;
}

TEST(ParameterLists, AreCombinedAsByGnuParallel) {
  const Scratch scratch;
  const std::string file = scratch.file("lines", "x\ny z\n");
  EXPECT_EQ(combined({":::", "a", "b c"}), "a\nb c\n");
  EXPECT_EQ(combined({":::", "a", "b", ":::", "1", "2"}), "a\t1\na\t2\nb\t1\nb\t2\n");
  EXPECT_EQ(combined({":::", "a", "b", ":::+", "1", "2", "3", ":::", "x"}), "a\t1\tx\nb\t2\tx\n");
  EXPECT_EQ(combined({"::::", file, ":::+", "1"}), "x\t1\n");
  EXPECT_EQ(combined({":::", "a", "::::", file}), "a\tx\na\ty z\n");
  EXPECT_EQ(combined({":::"}), "");
}

TEST(ParameterLists, RefuseWhatWouldBeAnotherRecord) {
  EXPECT_THAT(combined({":::", "a\nb"}), HasSubstr("refused: :::"));
  EXPECT_EQ(combined({":::", "a\tb"}), "a\tb\n");
  EXPECT_THAT(combined({":::", "a\tb", ":::", "c"}), HasSubstr("a tab"));
  EXPECT_THAT(combined({":::+", "a"}), HasSubstr("no list before it"));
  EXPECT_THAT(combined({"::::", "/no/such/file"}), HasSubstr("/no/such/file"));
}

JobOptions each_of(const std::string& input) {
  JobOptions options = options_with({input});
  options.application = "each";
  complete_each(options);
  return options;
}

TEST(EachJob, DividesAListDownToRecordsAndRunsNothingTwice) {
  const Scratch scratch;
  const JobOptions list = each_of(scratch.file("list", "12345678\n123\n12345\n"));
  EXPECT_EQ(list.split_bytes, 4u) << "no two records begin in a split";
  EXPECT_EQ(list.policy_parameters.at("race"), "no");
  EXPECT_EQ(list.attempt_timeout, Duration::max());
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "true\n";
  EXPECT_EQ(each_of(scratch.file("many", many)).split_bytes, 501u);
  EXPECT_EQ(each_of("s3://bucket/list").splits, 1000u);
}

TEST(EachJob, LeavesWhatIsGivenAndOtherApplications) {
  JobOptions options = options_with({"a"});
  complete_each(options);
  EXPECT_TRUE(options.policy_parameters.empty());
  EXPECT_EQ(options.splits, 0u);
  options.application = "each";
  options.parameters["repeatable"] = "yes";
  options.parameters["halt"] = "first";
  options.splits = 3;
  options.attempt_timeout = std::chrono::seconds(9);
  complete_each(options);
  EXPECT_TRUE(options.policy_parameters.empty());
  EXPECT_EQ(options.splits, 3u);
  EXPECT_EQ(options.attempt_timeout, std::chrono::seconds(9));
  EXPECT_EQ(options.attempts_max, 1u);
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
