#include "worker/runner/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "tests/worker/data/input_files.h"
#include "tests/worker/runner/launcher_process.h"

namespace ontime::worker {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::StartsWith;

class LauncherTest : public testing::Test {
 protected:
  LauncherTest() { write_file(directory_.file("input"), "one\ntwo\n"); }
  // An attempt with a new file, whose name is used again.
  wire::ToRunner order() const {
    std::filesystem::remove(directory_.file("out"));
    return make_run(describe(directory_.file("input")), 0, 8, directory_.file("out"));
  }
  std::string output() const { return read_file(directory_.file("out")); }

  // The wait status of the runner that exits next.
  int exit_of(std::uint64_t number) {
    const wire::FromLauncher message = launcher_.next();
    EXPECT_TRUE(message.has_exited());
    EXPECT_EQ(message.exited().runner(), number);
    return message.exited().wait_status();
  }
  // Starts a runner whose mapper hangs, with a child that hangs too; returns once both do.
  std::unique_ptr<RunnerProcess> hanging_runner(std::uint64_t number, pid_t& child) {
    auto runner = std::make_unique<RunnerProcess>(launcher_, number, make_setup({{"mode", "hang"}}));
    runner->send(order());
    const std::string line = runner->line();
    EXPECT_EQ(std::sscanf(line.c_str(), "hanging %d", &child), 1) << line;
    return runner;
  }

  const TemporaryDirectory directory_;
  LauncherProcess launcher_;
};

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

std::size_t descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator all("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(LauncherTest, ARunnerServesAttemptsAndEndsWithItsSocket) {
  RunnerProcess runner(launcher_, 7, make_setup({}));
  EXPECT_EQ(::getpgid(runner.pid()), runner.pid());
  for (int i = 0; i < 3; ++i) {
    runner.send(order());
    EXPECT_TRUE(runner.read_attempt().back().has_finished());
    EXPECT_EQ(output(), "one\ntwo\n");
  }
  runner.close();
  EXPECT_EQ(exit_of(7), 0);
  EXPECT_EQ(runner.text(), "");
  EXPECT_FALSE(exists(runner.pid()));
  EXPECT_EQ(launcher_.finish(), 0);
}

TEST_F(LauncherTest, CrashesAndExitsAreReportedAsTheyWere) {
  RunnerProcess crashing(launcher_, 1, make_setup({{"mode", "crash"}}));
  crashing.send(order());
  EXPECT_FALSE(crashing.read_attempt().back().has_finished());
  const int crashed = exit_of(1);
  EXPECT_TRUE(WIFSIGNALED(crashed));

  RunnerProcess exiting(launcher_, 2, make_setup({{"mode", "exit"}}));
  exiting.send(order());
  exiting.read_attempt();
  const int exited = exit_of(2);
  EXPECT_TRUE(WIFEXITED(exited));
  EXPECT_EQ(WEXITSTATUS(exited), 7);

  RunnerProcess throwing(launcher_, 3, make_setup({{"mode", "throw"}}));
  throwing.send(order());
  EXPECT_EQ(throwing.read_attempt().back().failed().message(), "this record makes no sense");
  EXPECT_EQ(WEXITSTATUS(exit_of(3)), 1);
}

TEST_F(LauncherTest, StandardOutputAndErrorBothGoToThePipe) {
  RunnerProcess runner(launcher_, 1, make_setup({{"mode", "noise"}}));
  runner.send(order());
  runner.read_attempt();
  ::kill(runner.pid(), SIGKILL);  // it has told that it is done, and cannot write any more
  exit_of(1);
  const std::string text = runner.text();
  EXPECT_THAT(text, HasSubstr("to standard output\n"));
  EXPECT_THAT(text, HasSubstr("to standard error\n"));
}

TEST_F(LauncherTest, ARunnerHasNoDescriptorsButItsOwn) {
  RunnerProcess runner(launcher_, 1, make_setup({{"mode", "descriptors"}}));
  runner.send(order());
  runner.read_attempt();
  std::string listed = output();
  listed.resize(listed.find("one\n"));
  EXPECT_THAT(listed, StartsWith("0\t/dev/null\n1\tpipe:"));
  EXPECT_THAT(listed, HasSubstr("\n3\tsocket:"));
  EXPECT_THAT(listed, HasSubstr(directory_.file("input")));
  EXPECT_THAT(listed, HasSubstr(directory_.file("out")));
  EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 7) << listed;  // the output's directory too
}

TEST_F(LauncherTest, AKilledRunnerTakesItsChildrenWithIt) {
  pid_t child = 0;
  const auto runner = hanging_runner(1, child);
  ::kill(runner->pid(), SIGKILL);  // only the runner itself
  const int status = exit_of(1);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  runner->text();  // returns when the child is gone too
}

TEST_F(LauncherTest, WhenTheWorkerDiesAllRunnersAndTheirChildrenDo) {
  std::vector<std::unique_ptr<RunnerProcess>> runners;
  pid_t child = 0;
  for (std::uint64_t i = 0; i < 5; ++i) runners.push_back(hanging_runner(i, child));
  EXPECT_EQ(launcher_.finish(), 0);
  for (const auto& runner : runners) {
    EXPECT_FALSE(exists(runner->pid()));
    runner->text();
  }
}

TEST_F(LauncherTest, AskedToTerminateItKillsAllAndEnds) {
  pid_t child = 0;
  const auto runner = hanging_runner(1, child);
  EXPECT_EQ(launcher_.kill(SIGTERM), 0);
  EXPECT_FALSE(exists(runner->pid()));
  runner->text();
}

TEST_F(LauncherTest, WhenTheLauncherIsKilledItsRunnersDie) {
  RunnerProcess runner(launcher_, 1, make_setup({}));
  runner.send(order());
  runner.read_attempt();
  EXPECT_EQ(WTERMSIG(launcher_.kill(SIGKILL)), SIGKILL);
  runner.text();
}

TEST_F(LauncherTest, TwoHundredRunnersLeaveNoDescriptorAndNoProcess) {
  { RunnerProcess first(launcher_, 0, make_setup({})); }
  exit_of(0);
  const std::size_t descriptors = descriptors_of(launcher_.pid());
  std::vector<pid_t> pids;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    RunnerProcess runner(launcher_, i, make_setup({}));
    pids.push_back(runner.pid());
    runner.send(order());
    ASSERT_TRUE(runner.read_attempt().back().has_finished());
    runner.close();
    ASSERT_EQ(exit_of(i), 0);
  }
  EXPECT_EQ(descriptors_of(launcher_.pid()), descriptors);
  EXPECT_EQ(std::count_if(pids.begin(), pids.end(), exists), 0);
}

TEST_F(LauncherTest, NonsenseEndsItWithASentence) {
  pid_t child = 0;
  const auto runner = hanging_runner(1, child);
  launcher_.send_raw(std::string(100, '\xff'));
  const int status = launcher_.finish();
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_FALSE(exists(runner->pid()));
}

TEST_F(LauncherTest, AnOrderWithoutDescriptorsEndsIt) {
  wire::ToLauncher order;
  order.mutable_spawn()->set_runner(1);
  std::string frame;
  protocol::append_frame(frame, order);
  launcher_.send_raw(frame);
  EXPECT_EQ(WEXITSTATUS(launcher_.finish()), 1);
}

TEST_F(LauncherTest, ABlockOfAnotherLayoutIsRefused) {
  SocketPair sockets = make_socket_pair();
  SharedBlock block;
  block->layout = 99;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  launcher_.spawn(1, sockets.theirs.get(), block.descriptor(), pipe[1]);
  EXPECT_TRUE(launcher_.next().has_spawned());
  EXPECT_EQ(WEXITSTATUS(exit_of(1)), 1);
  std::string text(200, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(pipe[0], text.data(), text.size()))));
  EXPECT_THAT(text, HasSubstr("the worker is of another build"));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

// No gate, only a figure: from the order to fork until the first record is mapped, in fresh processes.
TEST_F(LauncherTest, TheTimeToTheFirstRecordIsReported) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  std::vector<long long> micros;
  for (std::uint64_t i = 0; i < 101; ++i) {
    const long long begin = now();
    RunnerProcess runner(launcher_, i, make_setup({{"mode", "clock"}}));
    runner.send(order());
    ASSERT_TRUE(runner.read_attempt().back().has_finished());
    const std::string out = output();
    micros.push_back((std::stoll(out.substr(out.find('\t') + 1)) - begin) / 1000);
    runner.close();
    exit_of(i);
  }
  std::sort(micros.begin(), micros.end());
  std::printf("order to first record, fresh process: median %lld us, p90 %lld us\n", micros[50], micros[90]);
  RecordProperty("median_us", std::to_string(micros[50]));
}

}  // namespace
}  // namespace ontime::worker
