#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "worker/agent/runners/job_resources.h"

namespace ontime::worker {
namespace {

class JobUsersTest : public testing::Test {
 protected:
  std::optional<uid_t> take(std::uint32_t job) { return users_.take(JobId{job}); }

  std::set<uid_t> busy_;
  JobUsers users_{{10, 14}, [this](uid_t user) { return busy_.contains(user); }};
};

TEST_F(JobUsersTest, EachJobHasItsOwnAndKeepsIt) {
  EXPECT_EQ(take(1), 10u);
  EXPECT_EQ(take(2), 11u);
  EXPECT_EQ(take(1), 10u);
}

TEST_F(JobUsersTest, TheLeastRecentlyUsedComesNext) {
  for (std::uint32_t job = 1; job <= 4; ++job) take(job);
  EXPECT_EQ(users_.give_back(JobId{3}), 12u);
  EXPECT_EQ(users_.give_back(JobId{1}), 10u);
  EXPECT_EQ(take(5), 12u);
  EXPECT_EQ(take(6), 10u);
  EXPECT_EQ(take(7), std::nullopt);
}

TEST_F(JobUsersTest, AUserWhoseProcessesLiveOnIsNotUsedAgain) {
  busy_ = {10, 12};
  EXPECT_EQ(take(1), 11u);
  EXPECT_EQ(take(2), 13u);
  EXPECT_EQ(take(3), std::nullopt);
  busy_ = {10};
  EXPECT_EQ(take(3), 12u);
}

TEST_F(JobUsersTest, WhatIsLeftBehindRunsAsUsersThatNoJobHas) {
  take(1);
  busy_ = {10, 11, 13, 14};  // the last one is the sweeper
  EXPECT_EQ(users_.left_behind(), (std::vector<uid_t>{11, 13}));
}

TEST_F(JobUsersTest, AJobThatHasNoneGivesNothingBack) { EXPECT_EQ(users_.give_back(JobId{1}), std::nullopt); }

TEST(HasProcesses, TellsWhetherAnythingRunsAsAUser) {
  EXPECT_TRUE(has_processes(::getuid()));
  EXPECT_FALSE(has_processes(4'123'456'789));
}

}  // namespace
}  // namespace ontime::worker
