// Attempts map 10 % of their split per second: a healthy task takes 10 s. t_min = 10 s and beta = 2 are given by flags,
// so that E(T) = 20 s and T exceeds Q = 10 s / sqrt 0.75 = 11.547 s with probability 0.75.
#include "scheduler/policies/baselines/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/policy/baseline_world.h"

namespace ontime::scheduler {
namespace {

using test::BaselineWorld;
using testing::ElementsAre;

constexpr double kQuantile = 11.547005383792516;

FreshAttempt fresh(double launch, double beta = 2) {
  math::Durations durations;
  durations.t_min = 0.1;  // per byte
  durations.beta = beta;
  durations.launch = launch;
  return {durations, 0.25};
}

StringMap with(StringMap more) {
  more.insert({{"t_min", "10s"}, {"beta", "2"}, {"t_avg", "1s"}, {"fit", "flags"}});
  return more;
}

TEST(MantriRules, AFreshAttemptTakesLaunchAndParetoTime) {
  EXPECT_DOUBLE_EQ(fresh(1).mean(100), 21);
  EXPECT_NEAR(fresh(1).quantile(100), 1 + kQuantile, 1e-12);
  EXPECT_TRUE(std::isinf(fresh(1, 1).mean(100)));
}

TEST(MantriRules, WithoutLaunchTheRuleOfXuAndLauFiresAt1Point1547MeanTasks) {
  MantriSettings settings;
  settings.form = MantriForm::P3;
  EXPECT_NEAR(duplicate_above(settings, fresh(0), 100, 1, 0), 1.1547005383792516 * 20, 1e-12);
  EXPECT_TRUE(std::isinf(duplicate_above(settings, fresh(0), 100, 2, 0)));
}

TEST(MantriRules, EveryFurtherCopyNeedsALessDifference) {
  const MantriSettings settings;
  EXPECT_NEAR(duplicate_above(settings, fresh(1), 100, 1, 0), 21 + 3 * 1, 1e-12);  // the gain of rho reports is less
  EXPECT_NEAR(duplicate_above(settings, fresh(1), 100, 2, 0), 1.5 * (1 + kQuantile), 1e-12);
  EXPECT_NEAR(duplicate_above(settings, fresh(1), 100, 3, 0), 4.0 / 3 * (1 + kQuantile), 1e-12);
  EXPECT_TRUE(std::isinf(duplicate_above(settings, fresh(1), 100, 5, 0)));
  EXPECT_DOUBLE_EQ(restart_above(settings, fresh(1), 100), 22);
}

TEST(MantriRules, ChronosFormCountsFromTheMeanTask) {
  MantriSettings settings;
  settings.form = MantriForm::P1;
  EXPECT_DOUBLE_EQ(duplicate_above(settings, fresh(1), 100, 3, 12), 42);
}

TEST(MantriRules, WhenNothingIsKnownNothingPays) {
  const FreshAttempt unknown({}, 0.25);
  EXPECT_TRUE(std::isinf(unknown.mean(100)));
  EXPECT_TRUE(std::isinf(duplicate_above({}, unknown, 100, 1, 0)));
  EXPECT_TRUE(std::isinf(restart_above({}, unknown, 100)));
}

TEST(Mantri, P3CopiesOnceTheRemainingTimeIsKnownToBeTooLong) {
  BaselineWorld world(10);
  world.set_percent([](AttemptId id) {
    return 100.0 / std::vector{24, 28, 100}[id.task.index];
  });  // the limit is 25.09 s
  const JobId job = world.submit_tasks(3, "mantri", with({{"form", "p3"}}));
  world.advance(2);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(1, 2));
  world.advance(5);
  EXPECT_EQ(world.copies_launched(job), 2u);
  EXPECT_EQ(world.declined(job, 2), Reason::AlreadySpeculating);
}

// P(T - age > 2 t_new given T > age), the mean of (age / (age + 2 w))^beta over w of density beta w^-(beta + 1), w > 1.
TEST(MantriRules, AnAgeLimitIsWhereTheRemainingTimeExceedsTwoFreshOnesWithDelta) {
  const double limit = age_limit(2, 0, 0.25);
  double probability = 0;
  const double step = 1e-4;
  for (double v = step / 2; v < 1; v += step) probability += step * 2 * v * std::pow(limit / (limit + 2 / v), 2);
  EXPECT_NEAR(probability, 0.25, 1e-3);
  EXPECT_GT(age_limit(2, 0.5, 0.25), limit);
  EXPECT_GT(age_limit(2, 0, 0.5), limit);
  EXPECT_EQ(age_limit(2, 0, 0.01), 1);
}

TEST(Mantri, ThatKnowsOnlyAgesCopiesWhatHasRunForLong) {
  BaselineWorld world(10);
  world.slow_down({{1, 1}});
  const JobId job = world.submit_tasks(3, "mantri", with({{"form", "p3"}, {"knows", "elapsed"}}));
  const double limit = 10 * age_limit(2, 0.1, 0.25);
  world.advance(limit - 1);
  EXPECT_EQ(world.copies_launched(job), 0u);
  world.advance(3);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(1));
  EXPECT_THROW(make_policy("mantri", {{"knows", "elapsed"}}), std::invalid_argument);
}

TEST(Mantri, CopiesThatComeFirstNeedNoIdleSlot) {
  for (const std::string ahead : {"no", "yes"}) {
    BaselineWorld world(4);
    world.slow_down({{0, 1}});
    const JobId job = world.submit_tasks(400, "mantri", with({{"form", "p3"}, {"ahead", ahead}}));
    world.advance(30);
    EXPECT_EQ(world.copies_launched(job), ahead == "yes" ? 1u : 0u);
  }
}

TEST(Mantri, P1GivesATaskAllItsCopiesAndKeepsTheFarthest) {
  BaselineWorld world(10);
  world.set_percent([](AttemptId id) {
    if (id.task.index != 0) return 10.0;
    return 1 + 0.01 * id.number;
  });
  const JobId job = world.submit_tasks(4, "mantri", with({{"form", "p1"}, {"report", "5s"}, {"t_avg", "0s"}}));
  world.advance(1.5);  // 100 s left, mean task 20 s by the flags
  EXPECT_EQ(world.job(job).tasks[0].attempts.size(), 5u);
  world.advance(6);
  const Task& task = world.job(job).tasks[0];
  EXPECT_EQ(task.attempts[0].state, AttemptState::Running);  // it had a start of a second
  EXPECT_EQ(task.attempts[4].state, AttemptState::Killed);
}

TEST(Mantri, P1LeavesAloneWhatIsWithinTheMargin) {
  BaselineWorld world(10);
  world.slow_down({{0, 100.0 / 45}});  // 45 s: not 30 s more than 20 s
  const JobId job = world.submit_tasks(1, "mantri", with({{"form", "p1"}, {"t_avg", "0s"}}));
  world.advance(5);
  EXPECT_EQ(world.copies_launched(job), 0u);
}

TEST(Mantri, KeepsTheTwoAttemptsThatWillBeDoneFirst) {
  BaselineWorld world(10);
  world.set_percent([](AttemptId id) { return id.task.index == 0 ? 1.0 + 0.2 * id.number : 10.0; });
  const JobId job = world.submit_tasks(1, "mantri", with({{"report", "3s"}, {"max_copies", "2"}}));
  world.advance(2.8);
  EXPECT_EQ(world.job(job).tasks[0].attempts.size(), 3u);
  world.advance(4);  // 1.0 from 0 s on: at 100 s; 1.2 and 1.4 from 1 s and 2 s on: earlier
  const std::vector<Attempt>& attempts = world.job(job).tasks[0].attempts;
  EXPECT_EQ(attempts[0].state, AttemptState::Killed);
  EXPECT_EQ(attempts[1].state, AttemptState::Running);
  EXPECT_EQ(attempts[2].state, AttemptState::Running);
}

TEST(Mantri, StartsAgainWhileTasksWaitAndStopsAtGamma) {
  BaselineWorld world(4);
  world.set_percent([](AttemptId id) { return id.task.index == 0 ? 1.0 : 10.0; });
  const JobId job = world.submit_tasks(400, "mantri", with({{"gamma", "2"}}));
  world.advance(10);
  const std::vector<Attempt>& attempts = world.job(job).tasks[0].attempts;
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[0].state, AttemptState::Killed);
  EXPECT_EQ(attempts[1].state, AttemptState::Killed);
  EXPECT_TRUE(is_live(attempts[2].state));
  EXPECT_FALSE(attempts[2].speculative);
  EXPECT_EQ(world.declined(job, 0), Reason::CapReached);
}

TEST(Mantri, LeavesHealthyTasksAlone) {
  BaselineWorld world(10);
  const JobId job = world.submit_tasks(30, "mantri", with({}));
  world.advance(25);
  EXPECT_EQ(world.job(job).attempts_launched, 30u);
}

TEST(Mantri, FormsRefuseOtherNames) {
  EXPECT_THROW(make_policy("mantri", {{"form", "p2"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("mantri", {{"delta", "1"}}), std::invalid_argument);
}

}  // namespace
}  // namespace ontime::scheduler
