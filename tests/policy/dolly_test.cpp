#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/policies/baselines/baselines.h"
#include "tests/policy/baseline_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::BaselineWorld;
using testing::Contains;
using testing::HasSubstr;

StringMap generous(StringMap more) {
  more.insert({{"budget", "1"}, {"utilisation", "1"}});
  return more;
}

std::vector<std::string> notes(const Job& job) {
  std::vector<std::string> texts;
  for (const DecisionAt& made : job.decisions) {
    if (made.decision.what == DecisionNote::What::Note) texts.push_back(made.decision.text);
  }
  return texts;
}

TEST(DollyRules, StragglersAreThoseAboveOneAndAHalfMedians) {
  EXPECT_DOUBLE_EQ(straggler_share(std::vector<double>{1, 1, 1, 1, 2}), 1.5 / 6);
  EXPECT_DOUBLE_EQ(straggler_share(std::vector<double>{1, 1, 1, 1, 1.5}), 0.5 / 6);
  EXPECT_DOUBLE_EQ(straggler_share(std::vector<double>{3, 1, 2}), 0.5 / 4);
}

TEST(Dolly, EveryTaskStartsWithItsClones) {
  BaselineWorld world(40);
  const JobId job = world.submit_tasks(10, "dolly", generous({{"p", "0.2"}}));  // four attempts per task
  EXPECT_EQ(world.job(job).attempts_launched, 40u);
  EXPECT_THAT(notes(world.job(job)), Contains(HasSubstr("3 clones per task: p = 0.2 (flags), N = 10")));
  world.advance(10.2);
  EXPECT_EQ(world.job(job).state, JobState::Committing);
}

TEST(Dolly, ClonesAllTasksOfAJobOrNone) {
  BaselineWorld world(39);
  const JobId job = world.submit_tasks(10, "dolly", generous({{"p", "0.2"}}));
  EXPECT_EQ(world.job(job).attempts_launched, 10u);
  EXPECT_EQ(world.declined(job, 0), Reason::NoFreeSlot);
}

TEST(Dolly, KeepsItsClonesWithinTheBudget) {
  BaselineWorld world(60);
  const StringMap parameters{{"p", "0.05"}, {"budget", "0.15"}};  // two attempts per task; nine clones
  const JobId first = world.submit_tasks(5, "dolly", parameters);
  const JobId second = world.submit_tasks(5, "dolly", parameters);
  EXPECT_EQ(world.copies_launched(first), 5u);
  EXPECT_EQ(world.copies_launched(second), 0u);
  EXPECT_EQ(world.declined(second, 0), Reason::CapReached);
  world.advance(2);
  EXPECT_THAT(
      notes(world.job(second)),
      Contains(HasSubstr("cap-reached, budget = 0.15 of 60 slots is less than the 10 clones that there would be")));
}

TEST(Dolly, ClonesNothingOnABusyCluster) {
  BaselineWorld world(20);
  world.submit_tasks(17, "none");
  const JobId job = world.submit_tasks(1, "dolly", {{"p", "0.2"}, {"budget", "1"}});
  EXPECT_EQ(world.copies_launched(job), 0u);
  EXPECT_EQ(world.declined(job, 0), Reason::NoFreeSlot);
}

TEST(Dolly, AsksAgainForAMomentBecauseWorkersMayBeRegistering) {
  BaselineWorld world(0);
  const JobId job = world.submit_tasks(2, "dolly", generous({{"p", "0.05"}}));
  world.world().register_node("late-1", 2);
  EXPECT_EQ(world.job(job).attempts_launched, 2u);
  world.world().register_node("late-2", 2);
  world.world().pass(200ms);
  EXPECT_EQ(world.job(job).attempts_launched, 4u);
  EXPECT_EQ(world.tasks_with_copies(job), (std::vector<std::uint32_t>{0, 1}));
}

TEST(Dolly, DecidesOnceAndForAll) {
  BaselineWorld world(2);
  world.slow_down({{0, 0.1}, {1, 0.1}});
  const JobId job = world.submit_tasks(2, "dolly", generous({{"p", "0.05"}}));
  world.advance(2);
  world.world().register_node("more", 10);
  world.advance(2);
  EXPECT_EQ(world.job(job).attempts_launched, 2u);
}

TEST(Dolly, HasNoMoreClonesThanAllowed) {
  BaselineWorld world(200);
  const JobId job = world.submit_tasks(10, "dolly", generous({{"p", "0.6"}}));  // eleven attempts are called for
  EXPECT_EQ(world.job(job).attempts_launched, 60u);
}

TEST(Dolly, MeasuresStragglersByTheProfile) {
  BaselineWorld world(40);
  world.slow_down({{0, 2}});  // one of nine takes five times as long: (1 + 1/2) / 10
  const JobId earlier = world.submit_tasks(9, "none");
  world.advance(51);
  world.world().commit(earlier);
  const JobId job = world.submit_tasks(10, "dolly", generous({}));  // least c with (1 - 0.15^c)^10 >= 0.95: 3
  EXPECT_THAT(notes(world.job(job)), Contains(HasSubstr("2 clones per task: p = 0.15 (profile)")));
  EXPECT_EQ(world.copies_launched(job), 20u);
}

TEST(Dolly, RemembersItsClonesAfterARestartOfTheMaster) {
  BaselineWorld world(6);
  const JobId job = world.submit_tasks(2, "dolly", generous({{"p", "0.05"}}));
  EXPECT_EQ(world.copies_launched(job), 2u);
  world.world().restart();
  EXPECT_EQ(notes(world.job(job)).size(), 1u);  // the clones are ordered again, nothing is chosen anew
  EXPECT_EQ(world.job(job).decisions.back().decision.what, DecisionNote::What::Clone);
  EXPECT_EQ(world.job(job).decisions.back().decision.copies, 1u);
}

}  // namespace
}  // namespace ontime::scheduler
