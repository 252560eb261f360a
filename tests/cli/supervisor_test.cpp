#include "cli/cluster/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/cli/scratch.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = RestartRule::Clock;

constexpr int exited(int code) { return code << 8; }
constexpr int killed(int signal) { return signal; }

TEST(RestartRule, BacksOffMoreAndMore) {
  RestartRule rule;
  const Clock::time_point now{};
  rule.started(now);
  const auto first = rule.died(killed(SIGKILL), now);
  const auto second = rule.died(killed(SIGKILL), now);
  ASSERT_TRUE(first && second);
  EXPECT_GT(*first, now);
  EXPECT_GT(*second - now, *first - now);
  for (int i = 0; i < 50; ++i) EXPECT_LE(*rule.died(killed(SIGKILL), now) - now, 1s);
}

TEST(RestartRule, GivesUpOnAChildThatExitsAgainAndAgainAtItsStart) {
  RestartRule rule;
  const Clock::time_point now{};
  rule.started(now);
  EXPECT_TRUE(rule.died(exited(1), now));
  EXPECT_TRUE(rule.died(killed(SIGSEGV), now));
  EXPECT_FALSE(rule.died(exited(1), now));
}

TEST(RestartRule, AChildThatLivedForAWhileStartsWithACleanSlate) {
  RestartRule rule;
  const Clock::time_point now{};
  for (int i = 0; i < 100; ++i) {
    rule.started(now + i * 10s);
    EXPECT_TRUE(rule.died(exited(1), now + i * 10s + 5s));
  }
}

TEST(RestartRule, BadUsageIsNotTriedAgain) {
  RestartRule rule;
  rule.started({});
  EXPECT_FALSE(rule.died(exited(2), {}));
}

class SupervisorTest : public testing::Test {
 protected:
  ChildProgram shell(const std::string& script) {
    return {"helper", "/bin/sh", {"-c", script}, {}, scratch_ / "log", {}};
  }
  // Tends until `done` or an error.
  template <class Done>
  Status tend_until(Done&& done) {
    for (;;) {
      if (auto status = supervisor_.tend(); !status) return status;
      if (done()) return {};
      usleep(1000);
    }
  }
  pid_t pid_in(const std::string& name) const {
    pid_t pid = 0;
    std::ifstream(scratch_ / name) >> pid;
    return pid;
  }

  Scratch scratch_;
  Supervisor supervisor_;
};

TEST_F(SupervisorTest, AKilledChildIsStartedAgain) {
  ASSERT_TRUE(supervisor_.start_child(shell("echo $$ > " + (scratch_ / "pid.new") + "; mv " + (scratch_ / "pid.new") +
                                            " " + (scratch_ / "pid") + "; exec sleep 1000")));
  ASSERT_TRUE(tend_until([&] { return pid_in("pid") != 0; }));
  const auto first = pid_in("pid");
  kill(first, SIGKILL);
  ASSERT_TRUE(tend_until([&] { return pid_in("pid") != first; }));
  EXPECT_EQ(supervisor_.restarts(), 1);
  supervisor_.stop();
  EXPECT_EQ(kill(pid_in("pid"), 0), -1);
}

TEST_F(SupervisorTest, AChildThatShallStartLaterDoesOnceAndIsNotCountedAsStartedAgain) {
  ASSERT_TRUE(supervisor_.start_child(shell("exec sleep 1000"), std::chrono::hours(1)));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "has been started at once";
  ASSERT_TRUE(supervisor_.start_child(shell("echo $$ > " + (scratch_ / "pid") + "; exec sleep 1000"),
                                      std::chrono::milliseconds(2)));
  ASSERT_TRUE(tend_until([&] { return pid_in("pid") != 0; }));
  EXPECT_EQ(supervisor_.restarts(), 0);
  supervisor_.stop();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(SupervisorTest, AChildThatCannotStartIsNamedWithItsLastWords) {
  ASSERT_TRUE(supervisor_.start_child(shell("echo port 7 is taken >&2; exit 1")));
  const auto status = tend_until([] { return false; });
  EXPECT_THAT(status.error().message,
              testing::AllOf(HasSubstr("helper"), HasSubstr("exited with code 1"), HasSubstr("port 7 is taken")));
}

TEST_F(SupervisorTest, StopAlsoEndsWhatAChildLeavesBehindAndWhatIgnoresSigterm) {
  ASSERT_TRUE(supervisor_.start_child(shell("trap '' TERM; (sleep 1000 & echo $! > " + (scratch_ / "orphan") +
                                            "); echo $$ > " + (scratch_ / "pid") + "; while :; do sleep 1000; done")));
  ASSERT_TRUE(tend_until([&] { return pid_in("pid") != 0; }));
  supervisor_.stop();
  EXPECT_EQ(kill(pid_in("pid"), 0), -1);
  EXPECT_EQ(kill(pid_in("orphan"), 0), -1);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no child at all
}

}  // namespace
}  // namespace ontime::cli
