// Accounts of huge jobs: added up slice by slice, once for all who ask.
#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <vector>

#include "master/clients/shared_answers.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::master {
namespace {

using namespace std::chrono_literals;
using scheduler::JobAccount;
using scheduler::test::World;

constexpr std::uint32_t kTasks = 5 * Accounts::kSlice;

scheduler::Settings forgetful() {
  scheduler::Settings settings;
  settings.history.jobs = 1;
  return settings;
}

class AccountsTest : public testing::Test {
 protected:
  AccountsTest() {
    world_.register_node("a", 2);
    huge_ = world_.submit(100 * kTasks, 100);
    for (const auto& launch : world_.take<scheduler::action::LaunchAttempt>()) world_.seal_all(launch.attempt);
    world_.job(huge_).tasks.all();  // tasks that were never made take no time to add up
  }

  asio::awaitable<void> ask(JobId job) { answers_.push_back(co_await accounts_.of_job(job)); }
  asio::awaitable<void> ask_all() {
    const auto sums = co_await accounts_.by_policy();
    sums_ = sums;
  }
  template <class Question>
  void spawn(Question question) {
    asio::co_spawn(io_, std::move(question), net::AbortOnException{"test"});
  }

  // Runs all that was spawned to its end. How often something else had its turn meanwhile.
  template <class Meanwhile>
  std::size_t run(Meanwhile meanwhile) {
    std::size_t turns = 0;
    io_.restart();
    while (io_.poll_one() > 0) {
      meanwhile();
      ++turns;
    }
    return turns;
  }
  std::size_t run() {
    return run([] {});
  }
  JobAccount true_account() const { return scheduler::account(world_.job(huge_), world_.now()); }

  asio::io_context io_;
  World world_{forgetful()};
  Accounts accounts_{io_.get_executor(), world_.cluster(), [this] { return world_.now(); }};
  JobId huge_;
  std::vector<std::optional<JobAccount>> answers_;
  std::map<std::string, PolicyAccount> sums_;
};

TEST_F(AccountsTest, AHugeJobIsAddedUpRightAndOthersHaveTheirTurn) {
  spawn(ask(huge_));
  EXPECT_GE(run(), kTasks / Accounts::kSlice);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0], true_account());
  EXPECT_EQ(answers_[0]->bytes.useful, 200u);
}

TEST_F(AccountsTest, WhoAsksAtTheSameMomentSharesOneSum) {
  spawn(ask(huge_));
  const std::size_t alone = run();
  world_.pass(1h);
  for (int i = 0; i < 100; ++i) spawn(ask(huge_));
  EXPECT_LE(run(), alone + 400);  // some handlers each, and not each all slices
  ASSERT_EQ(answers_.size(), 101u);
  for (std::size_t i = 1; i < answers_.size(); ++i) EXPECT_EQ(answers_[i], true_account());
}

TEST_F(AccountsTest, ThatOfARunningJobIsGoodForAWhileAndThenMadeAnew) {
  spawn(ask(huge_));
  const std::size_t first = run();
  spawn(ask(huge_));
  EXPECT_LT(run(), first);
  for (const auto& launch : world_.take<scheduler::action::LaunchAttempt>()) world_.seal_all(launch.attempt);
  spawn(ask(huge_));
  run();
  EXPECT_EQ(answers_.at(2), answers_.at(0));
  world_.pass(Accounts::kGoodForTask * kTasks + 1ns);
  spawn(ask(huge_));
  run();
  EXPECT_EQ(answers_.at(3), true_account());
  EXPECT_EQ(answers_.at(3)->bytes.useful, 400u);
}

TEST_F(AccountsTest, ThatOfAJobThatHasEndedIsFinalAtOnceAndKept) {
  spawn(ask(huge_));
  const std::size_t first = run();
  world_.kill(huge_);
  spawn(ask(huge_));
  EXPECT_GE(run(), kTasks / Accounts::kSlice);
  EXPECT_EQ(answers_.at(1), true_account());
  world_.pass(24h);
  spawn(ask(huge_));
  EXPECT_LT(run(), first);
  EXPECT_EQ(answers_.at(2), answers_.at(1));
}

TEST_F(AccountsTest, ThatOfAJobThatEndsMeanwhileIsTheFinalOne) {
  world_.pass(2s);
  spawn(ask(huge_));
  int turns = 0;
  run([&] {
    if (++turns == 4) world_.kill(huge_);
    world_.pass(1ms);
  });
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0], true_account());
  EXPECT_EQ(answers_[0]->time.open, Duration(0));
}

TEST_F(AccountsTest, AJobThatIsForgottenMeanwhileHasNone) {
  spawn(ask(huge_));
  spawn(ask(huge_));
  int turns = 0;
  run([&] {
    if (++turns != 4) return;
    world_.kill(huge_);
    for (int i = 0; i < 3; ++i) world_.kill(world_.submit(100, 100));
    ASSERT_EQ(world_.cluster().find_job(huge_), nullptr);
  });
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[0], std::nullopt);
  EXPECT_EQ(answers_[1], std::nullopt);
  spawn(ask_all());
  run();
  EXPECT_EQ(sums_.size(), 1u);
}

TEST_F(AccountsTest, JobsOfOnePolicyAreAddedUp) {
  const JobId small = world_.submit(300, 100);
  spawn(ask_all());
  EXPECT_GE(run(), kTasks / Accounts::kSlice);
  ASSERT_EQ(sums_.size(), 1u);
  EXPECT_EQ(sums_.at("none").jobs, 2u);
  JobAccount both = true_account();
  both += scheduler::account(world_.job(small), world_.now());
  EXPECT_EQ(sums_.at("none").account, both);
}

}  // namespace
}  // namespace ontime::master
