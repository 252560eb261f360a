// Each job has a user of its own, as long as a runner of it is there.
#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using test::SlotsWorld;

// No process of this machine has any of these users.
constexpr UserRange kUsers{4'123'450'000, 4'123'450'004};

class SlotsUsers : public testing::Test {
 protected:
  SlotsUsers() {
    for (std::uint32_t job = 1; job <= 5; ++job) EXPECT_TRUE(world.set_up(job));
  }
  uid_t user_of_next(std::uint32_t job, std::uint32_t task = 0) {
    runners.push_back(world.launch_and_start(world.attempt(task, job)));
    return world.launcher.user();
  }
  void launch_and_kill_one_of_each_job() {
    for (std::uint32_t job = 1; job <= 4; ++job) {
      user_of_next(job);
      ASSERT_TRUE(world.kill(world.attempt(0, job)));
    }
  }

  SlotsWorld world{2, kUsers};
  std::vector<std::unique_ptr<test::FakeRunner>> runners;
};

TEST_F(SlotsUsers, AttemptsOfAJobShareAUserAndThoseOfAnotherHaveAnother) {
  EXPECT_EQ(user_of_next(1, 0), kUsers.first);
  EXPECT_EQ(user_of_next(1, 1), kUsers.first);
  EXPECT_EQ(user_of_next(2), kUsers.first + 1);
}

TEST_F(SlotsUsers, AKilledRunnerKeepsItsUserUntilItsEndIsSeen) {
  launch_and_kill_one_of_each_job();
  EXPECT_TRUE(world.launcher.swept().empty());
  world.end(*runners[2], SIGKILL);
  EXPECT_EQ(user_of_next(5), kUsers.first + 2);
  EXPECT_EQ(world.launcher.swept(), std::vector<uid_t>{kUsers.first + 2});  // before it was used again
}

// As few as a worker starts with: idle runners of other jobs have half of them.
TEST(SlotsUsersLeast, EveryJobOfABurstGetsOneBesideIdleRunners) {
  SlotsWorld world{2, UserRange{4'123'450'000, 4'123'450'008}};
  std::vector<std::unique_ptr<test::FakeRunner>> runners;
  for (std::uint32_t job = 1; job <= 8; ++job) {
    ASSERT_TRUE(world.set_up(job));
    runners.push_back(world.launch_and_start(world.attempt(0, job)));
    world.finish(*runners.back());
  }
  for (const wire::Report& report : world.new_reports()) EXPECT_FALSE(report.has_ended()) << report.ended().message();
}

TEST_F(SlotsUsers, WithoutAFreeUserAnAttemptFailsAsTheNodesFault) {
  launch_and_kill_one_of_each_job();
  world.new_reports();
  ASSERT_TRUE(world.launch(world.attempt(0, 5)));
  const auto end = world.only_end();
  EXPECT_EQ(end.failure(), wire::LAUNCH);
  EXPECT_NE(end.message().find("no user of --run-as is free on this worker"), std::string::npos) << end.message();
}

TEST_F(SlotsUsers, ALauncherThatDiesLeavesNoUserTaken) {
  launch_and_kill_one_of_each_job();
  world.launcher.dies();
  world.settle_until([this] { return world.launcher.starts() == 2; });
  EXPECT_EQ(user_of_next(5), kUsers.first);
  const std::vector<uid_t>& swept = world.launcher.swept();
  EXPECT_EQ(std::set<uid_t>(swept.begin(), swept.end()),
            (std::set<uid_t>{kUsers.first, kUsers.first + 1, kUsers.first + 2, kUsers.first + 3}));
}

}  // namespace
}  // namespace ontime::worker
