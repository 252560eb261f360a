#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <variant>

#include "cli/command_line.h"
#include "cli/job_request.h"
#include "tests/support/temporary_directory.h"

namespace ontime::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kVariables = {"ONTIME_CONFIG",     "ONTIME_DEADLINE", "ONTIME_EXCLUDE", "ONTIME_GROWING",
                             "ONTIME_FILES_FROM", "ONTIME_SKIP",     "ONTIME_MASTER",  "ONTIME_POLICY",
                             "ONTIME_TLS_CA",     "ONTIME_TLS_DIR",  "ONTIME_TOKEN",   "ONTIME_TOKEN_FILE",
                             "XDG_CONFIG_HOME"};

class UserConfig : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kVariables) unsetenv(name);
    setenv("XDG_CONFIG_HOME", directory_.path().c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : kVariables) unsetenv(name);
  }
  std::string write(const std::string& text, mode_t mode = 0600) {
    const std::string path = directory_ / "ontime/config";
    test::write_file(path, text);
    chmod(path.c_str(), mode);
    return path;
  }
  // What is wrong with a file, without the file's name.
  std::string complaint_about(const std::string& text) {
    const std::string path = write(text);
    const Status status = apply_user_config();
    EXPECT_FALSE(status) << text;
    if (status) return "";
    EXPECT_EQ(status.error().kind, ErrorKind::BadInput);
    EXPECT_THAT(status.error().message, StartsWith(path + ", "));
    return status.error().message.substr(path.size() + 2);
  }
  static std::string value_of(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "(not set)" : value;
  }
  static SubmitCommand submitted(std::vector<std::string> flags) {
    std::vector<std::string> arguments{"submit", "wordcount", "in", "-o", "out"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto parsed = parse_command_line(arguments);
    EXPECT_TRUE(parsed.command) << parsed.text;
    return parsed.command ? std::get<SubmitCommand>(*parsed.command) : SubmitCommand();
  }

  test::TemporaryDirectory directory_;
};

TEST_F(UserConfig, AFlagComesBeforeTheEnvironmentAndThatBeforeTheFile) {
  write("# mine\n\n master = \"there:1\" \npolicy=late\ndeadline=90s\ntls-dir=/a=b\n");
  setenv("ONTIME_POLICY", "mantri", 1);
  ASSERT_TRUE(apply_user_config());
  const SubmitCommand command = submitted({"--deadline", "5s"});
  EXPECT_EQ(command.master.address, "there:1");
  EXPECT_EQ(command.job.policy, "mantri");
  EXPECT_EQ(command.job.deadline, std::chrono::seconds(5));
  EXPECT_EQ(value_of("ONTIME_TLS_DIR"), "/a=b");
}

TEST_F(UserConfig, WhichInputsAreLeftOutMayBeSaidOnceForAll) {
  write("exclude=*.{tmp,bak}\nskip=vanished\ngrowing=yes\n");
  ASSERT_TRUE(apply_user_config());
  const SubmitCommand command = submitted({"--skip", "unreadable"});
  EXPECT_EQ(command.job.exclude, (std::vector<std::string>{"*.{tmp,bak}"}));
  EXPECT_EQ(command.job.skip.kinds, "unreadable");
  EXPECT_TRUE(command.job.growing);
  EXPECT_THAT(complaint_about("growing=maybe\n"), HasSubstr("write yes or no"));
  EXPECT_THAT(complaint_about("skip=all\n"), HasSubstr("'all' is nothing that inputs can be skipped for"));
}

TEST_F(UserConfig, NamesOfInputsAreReadFromTheUsualFileUnlessTheCommandNamesSome) {
  write("files-from=" + directory_.path() + "/names\n");
  test::write_file(directory_ / "names", "mine\n");
  test::write_file(directory_ / "others", "yours\n");
  ASSERT_TRUE(apply_user_config());
  const auto inputs_of = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"submit", "wordcount", "-o", "out"});
    const auto parsed = parse_command_line(arguments);
    EXPECT_TRUE(parsed.command) << parsed.text;
    if (!parsed.command) return std::vector<std::string>();
    JobOptions job = std::get<SubmitCommand>(*parsed.command).job;
    EXPECT_TRUE(add_named_inputs(job));
    return job.inputs;
  };
  EXPECT_EQ(inputs_of({}), std::vector<std::string>{"mine"});
  EXPECT_EQ(inputs_of({"in"}), std::vector<std::string>{"in"});
  EXPECT_EQ(inputs_of({"--files-from", directory_ / "others"}), std::vector<std::string>{"yours"});
}

TEST_F(UserConfig, OfCredentialsWhatTheEnvironmentHasComesFirstAlsoInAnotherForm) {
  write("token-file=/t\ntls-ca=/ca\ntls-dir=/d\n");
  setenv("ONTIME_TOKEN", "secret", 1);
  ASSERT_TRUE(apply_user_config());
  EXPECT_EQ(value_of("ONTIME_TOKEN_FILE"), "(not set)");
  EXPECT_EQ(submitted({}).master.tls.authority, "/ca") << "the directory is the same file's";
}

TEST_F(UserConfig, TheTokenOfTheFileIsNotForTheDirectoryOfTheEnvironment) {
  for (const char* line : {"token=secret\n", "token-file=/t\n"}) {
    write(line);
    setenv("ONTIME_TLS_DIR", "/d", 1);
    ASSERT_TRUE(apply_user_config());
    EXPECT_EQ(value_of("ONTIME_TOKEN"), "(not set)");
    EXPECT_EQ(value_of("ONTIME_TOKEN_FILE"), "(not set)");
  }
  setenv("ONTIME_TLS_DIR", "", 1);
  ASSERT_TRUE(apply_user_config());
  EXPECT_EQ(value_of("ONTIME_TOKEN_FILE"), "/t");
}

TEST_F(UserConfig, TheFileOfEarlierReleasesIsNotIgnoredInSilence) {
  test::write_file(directory_ / "ontime/environment", "ONTIME_MASTER=there:1\n");
  const Status status = apply_user_config();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("ontime/environment is not read any more"));
  write("master=there:1\n");
  EXPECT_TRUE(apply_user_config());
}

TEST_F(UserConfig, TheFileIsWhereTheVariableSays) {
  write("master=there:1\n");
  const std::string other = directory_ / "other";
  test::write_file(other, "master=elsewhere:2\n");
  setenv("ONTIME_CONFIG", other.c_str(), 1);
  ASSERT_TRUE(apply_user_config());
  EXPECT_EQ(value_of("ONTIME_MASTER"), "elsewhere:2");
}

TEST_F(UserConfig, AFileThatIsNamedMustBeReadable) {
  const std::string missing = directory_ / "missing";
  setenv("ONTIME_CONFIG", missing.c_str(), 1);
  EXPECT_EQ(apply_user_config().error().message, "cannot read " + missing + ": No such file or directory");
  setenv("ONTIME_CONFIG", directory_.path().c_str(), 1);
  EXPECT_THAT(apply_user_config().error().message, EndsWith("Is a directory"));
  setenv("ONTIME_CONFIG", "", 1);
  EXPECT_TRUE(apply_user_config());
}

TEST_F(UserConfig, NoFileIsNoError) { EXPECT_TRUE(apply_user_config()); }

TEST_F(UserConfig, WrongLinesAreNamedAndNothingOfTheFileCounts) {
  EXPECT_EQ(complaint_about("master=a:1\nmastr=b\n"), "line 2: there is no setting 'mastr'; did you mean 'master'?");
  EXPECT_EQ(complaint_about("master there\n"), "line 1: write NAME=VALUE instead of 'master there'");
  EXPECT_EQ(complaint_about("master=a:1\n\nmaster=b:1\n"), "line 3: 'master' is given twice; give it once");
  EXPECT_EQ(complaint_about("policy=\n"), "line 1: 'policy' needs a value: policy=VALUE");
  EXPECT_THAT(complaint_about("policy=late:slow\n"), StartsWith("line 1: policy: "));
  EXPECT_THAT(complaint_about("deadline=soon\n"), HasSubstr("'soon'"));
  EXPECT_THAT(complaint_about("deadline=0\n"), EndsWith("too short; give 1ms or more"));
  EXPECT_THAT(complaint_about("master=a:b\n"), StartsWith("line 1: master: "));
  EXPECT_EQ(value_of("ONTIME_MASTER"), "(not set)");
}

TEST_F(UserConfig, ATokenThatEverybodyCanReadIsRefused) {
  write("token=secret\n", 0644);
  EXPECT_THAT(apply_user_config().error().message, HasSubstr("chmod 600"));
  EXPECT_EQ(value_of("ONTIME_TOKEN"), "(not set)");
}

TEST(AccessPoints, AreInTheCacheOfTheUserOrWhereTheVariableSays) {
  const test::TemporaryDirectory home;
  const char* const home_before = std::getenv("HOME");
  const std::string before = home_before == nullptr ? "" : home_before;
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

}  // namespace
}  // namespace ontime::cli
