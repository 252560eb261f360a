// Accidents on purpose, in real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/injection/wire.h"
#include "tests/worker/data/input_files.h"
#include "tests/worker/runner/launcher_process.h"

namespace ontime::worker {
namespace {

using namespace test;
using testing::HasSubstr;

class Accident : public testing::Test {
 protected:
  Accident() { write_file(directory_.file("input"), "one\ntwo\nthree\n"); }
  wire::ToRunner order(const injection::Disturbance& disturbance) const {
    wire::ToRunner order = make_run(describe(directory_.file("input")), 0, 14, directory_.file("out"));
    *order.mutable_run()->mutable_disturbance() = injection::to_wire(disturbance);
    return order;
  }
  const TemporaryDirectory directory_;
  LauncherProcess launcher_;
};

TEST_F(Accident, ACrashHappensBeforeTheFirstRecordBehindItsByte) {
  injection::Disturbance disturbance;
  disturbance.crash_at = 5;
  RunnerProcess runner(launcher_, 1, make_setup({}));
  runner.send(order(disturbance));
  const auto messages = runner.read_attempt();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(messages[0].has_started());
  EXPECT_EQ(WTERMSIG(launcher_.next().exited().wait_status()), SIGABRT);
  EXPECT_EQ(runner.block()->offset.load(), 8u);
  EXPECT_THAT(runner.text(), HasSubstr("crashes at byte 8 on purpose"));
}

TEST_F(Accident, AStallAnswersNoCutAndOnlyAKillEndsIt) {
  injection::Disturbance disturbance;
  disturbance.stall_at = 4;
  RunnerProcess runner(launcher_, 1, make_setup({}));
  runner.send(order(disturbance));
  EXPECT_THAT(runner.line(), HasSubstr("stalls at byte 4 on purpose"));
  EXPECT_EQ(runner.block()->offset.load(), 4u);
  runner.block().cut(8, true);
  ::kill(-runner.pid(), SIGKILL);
  // All it ever said: an answer would lie in the socket now.
  const auto messages = runner.read_attempt();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(messages[0].has_started());
  EXPECT_EQ(WTERMSIG(launcher_.next().exited().wait_status()), SIGKILL);
}

}  // namespace
}  // namespace ontime::worker
