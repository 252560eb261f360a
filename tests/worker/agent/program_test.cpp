// The program ontime-worker: what it says and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/process.h"

namespace ontime::worker {
namespace {

using ontime::test::Arguments;
using ontime::test::descendants;
using ontime::test::eventually;
using ontime::test::Finished;
using ontime::test::run;
using testing::HasSubstr;
using testing::StartsWith;

// One sentence on stderr, nothing else.
void expect_sentence(const Finished& finished, int status, const std::string& part) {
  EXPECT_EQ(finished.status, status);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, StartsWith("ontime-worker: "));
  EXPECT_THAT(finished.err, HasSubstr(part));
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1);
}

// Gone, or a zombie that its new parent has not reaped.
bool has_ended(pid_t pid) {
  return ::kill(pid, 0) != 0 ||
         ontime::test::read_file("/proc/" + std::to_string(pid) + "/stat").find(") Z") != std::string::npos;
}

TEST(WorkerProgram, RefusesWrongUsageInOneSentence) {
  expect_sentence(run({ONTIME_WORKER, "--slots", "0"}), 2, "--slots");
  expect_sentence(run({ONTIME_WORKER, "--slots", "many"}), 2, "--slots");
  expect_sentence(run({ONTIME_WORKER, "--nonsense"}), 2, "--nonsense");
  expect_sentence(run({ONTIME_WORKER, "--master", "host:port"}), 2, "--master");
  expect_sentence(run({ONTIME_WORKER, "--connect-timeout", "soon"}), 2, "--connect-timeout");
  expect_sentence(run({ONTIME_WORKER, "--token-file", "/nowhere/token"}), 2, "/nowhere/token");
  expect_sentence(run({ONTIME_WORKER, "--log-level", "loud"}), 2, "loud");
  expect_sentence(run({ONTIME_WORKER, "--log-file", "/nope/x"}), 2, "--log-file: '/nope/x' cannot be written");
  expect_sentence(run({ONTIME_WORKER, "--app-dir", "/nope"}), 2, "--app-dir: '/nope' is not a directory");
  expect_sentence(run({ONTIME_WORKER, "--app-dir", "/nope", "--check-config"}), 2, "'/nope' is not a directory");
  expect_sentence(run({ONTIME_WORKER, "--attempt-env", "A=B", "--check-config"}), 2, "'A=B' is no name");
}

TEST(WorkerProgram, TakesItsTimeLimitFromSlurmUnlessToldAnother) {
  const auto check = [](const std::string& end, Arguments more) {
    more.insert(more.begin(), {ONTIME_WORKER, "--check-config"});
    return run(more, {{"SLURM_JOB_END_TIME", end}});
  };
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  EXPECT_EQ(check(std::to_string(now + 3600), {}).status, 0);
  expect_sentence(check(std::to_string(now - 10), {}), 2, "SLURM_JOB_END_TIME: less time is left");
  expect_sentence(check("soon", {}), 2, "SLURM_JOB_END_TIME: 'soon' is no time");
  EXPECT_EQ(check("soon", {"--time-limit", "10s"}).status, 0);
  expect_sentence(check("0", {"--time-limit", "10s", "--time-limit-lead", "10s"}), 2,
                  "--time-limit: less time is left");
}

TEST(WorkerProgram, AsksNoAddressForANoticeThatItMayNotReach) {
  expect_sentence(run({ONTIME_WORKER, "--ending-notice", "http://127.0.0.1/x", "--local-only"}), 2, "--ending-notice");
  expect_sentence(run({ONTIME_WORKER, "--ending-notice", "gcp", "--local-only"}), 2, "--ending-notice");
  expect_sentence(run({ONTIME_WORKER, "--ending-notice", "http://a b/x"}), 2, "--ending-notice");
}

TEST(WorkerProgram, ChecksItsConfigurationAndTellsItsVersion) {
  const Finished checked = run({ONTIME_WORKER, "--slots", "3", "--check-config"});
  EXPECT_EQ(checked.status, 0);
  EXPECT_EQ(checked.out, "The configuration is fine.\n");
  expect_sentence(run({ONTIME_WORKER, "--slots", "many", "--check-config"}), 2, "--slots");
  const Finished version = run({ONTIME_WORKER, "--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("ontime-worker [0-9]+\\.[0-9]+\\.[0-9]+\nCommit: .*\n"));
}

TEST(WorkerProgram, DiesWithTheParentThatWasNamedAndNotWithoutOne) {
  expect_sentence(run({ONTIME_WORKER, "--die-with-parent", "0"}), 2, "--die-with-parent");
  expect_sentence(run({ONTIME_WORKER, "--die-with-parent", "1"}), 1, "process 1 did not start this one");
  const ontime::test::TemporaryDirectory directory;
  // The shell starts the worker, says which process that is, and waits for a kill.
  ontime::test::Process shell(
      {"/bin/sh", "-c", ONTIME_WORKER " --master 127.0.0.1:1 --die-with-parent $$ & echo $!; wait"}, directory / "sh");
  ASSERT_TRUE(eventually([&] { return descendants(shell.pid(), "ontime-runner").size() == 1; }));
  ASSERT_TRUE(eventually([&] { return shell.output().out.ends_with('\n'); }));
  const pid_t worker = std::stoi(shell.output().out);
  EXPECT_FALSE(has_ended(worker));
  shell.kill();
  EXPECT_TRUE(eventually([&] { return has_ended(worker); }));
}

TEST(WorkerProgram, EndsWhenNoMasterIsThere) {
  Arguments arguments{ONTIME_WORKER, "--master", "127.0.0.1:1", "--connect-timeout", "50ms"};
  EXPECT_THAT(run(arguments).err, HasSubstr("no_master_yet master=127.0.0.1:1")) << "it says at once whom it waits for";
  arguments.insert(arguments.end(), {"--log-level", "off"});
  expect_sentence(run(arguments), 1, "127.0.0.1:1");
}

TEST(WorkerProgram, TakesItsMasterFromTheEnvironmentUnlessAFlagNamesIt) {
  const ontime::test::Environment environment{{"ONTIME_MASTER", "127.0.0.1:2"}};
  Arguments arguments{ONTIME_WORKER, "--connect-timeout", "50ms", "--log-level", "off"};
  expect_sentence(run(arguments, environment), 1, "127.0.0.1:2:");
  arguments.insert(arguments.end(), {"--master", "127.0.0.1:1"});
  expect_sentence(run(arguments, environment), 1, "127.0.0.1:1:");
}

TEST(WorkerProgram, EndsWithZeroOnSigtermAndTakesItsLauncherAlong) {
  const ontime::test::TemporaryDirectory directory;
  ontime::test::Process worker({ONTIME_WORKER, "--master", "127.0.0.1:1"}, directory / "worker");
  ASSERT_TRUE(eventually([&] { return descendants(worker.pid(), "ontime-runner").size() == 1; }));
  const pid_t launcher = descendants(worker.pid(), "ontime-runner").front();
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait().status, 0);
  EXPECT_TRUE(has_ended(launcher));
}

std::string read_of(pid_t pid, const char* file) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/" + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Attempts are forked from the launcher, and once they are confined they could not load it.
TEST(WorkerProgram, LoadsWhatSpeaksWithStoresBeforeAnAttemptIsConfined) {
  const ontime::test::TemporaryDirectory directory;
  const ontime::test::Process worker({ONTIME_WORKER, "--master", "127.0.0.1:1"}, directory / "worker");
  ASSERT_TRUE(eventually([&] { return descendants(worker.pid(), "ontime-runner").size() == 1; }));
  const pid_t launcher = descendants(worker.pid(), "ontime-runner").front();
  EXPECT_THAT(read_of(worker.pid(), "maps"), HasSubstr("libontime_network.so"));
  EXPECT_TRUE(eventually([&] { return read_of(launcher, "maps").find("libontime_network.so") != std::string::npos; }));
}

TEST(WorkerProgram, LoadsNothingOfThatForLocalJobs) {
  const ontime::test::TemporaryDirectory directory;
  const ontime::test::Process worker({ONTIME_WORKER, "--master", "127.0.0.1:1", "--local-only"}, directory / "worker");
  ASSERT_TRUE(eventually([&] { return descendants(worker.pid(), "ontime-runner").size() == 1; }));
  const pid_t launcher = descendants(worker.pid(), "ontime-runner").front();
  EXPECT_THAT(read_of(worker.pid(), "maps"), testing::Not(HasSubstr("libontime_network.so")));
  EXPECT_THAT(read_of(launcher, "cmdline"), testing::Not(HasSubstr("--load-network")));
}

TEST(WorkerProgram, LeavesNoLauncherBehindWhenItIsKilled) {
  const ontime::test::TemporaryDirectory directory;
  ontime::test::Process worker({ONTIME_WORKER, "--master", "127.0.0.1:1"}, directory / "worker");
  ASSERT_TRUE(eventually([&] { return descendants(worker.pid(), "ontime-runner").size() == 1; }));
  const pid_t launcher = descendants(worker.pid(), "ontime-runner").front();
  worker.kill();
  EXPECT_TRUE(eventually([&] { return has_ended(launcher); }));
}

}  // namespace
}  // namespace ontime::worker
