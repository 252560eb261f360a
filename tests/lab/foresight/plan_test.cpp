// Seeds are fixed, so every number here is the same on every run.
#include "lab/foresight/plan.h"

#include <gtest/gtest.h>

#include <vector>

#include "lab/scenario/purpose.h"

namespace ontime::lab {
namespace {

using scheduler::math::FittedTail;

constexpr std::uint64_t kOtherSeeds = 1'000'000;

PlanQuestion question_of(std::uint32_t tasks, std::uint32_t slots, double deadline) {
  PlanQuestion question;
  question.job.size.split_bytes = 1 << 20;
  question.job.size.file_bytes = {std::uint64_t{tasks} << 20};
  question.job.size.record_bytes = 1 << 10;
  question.tail = FittedTail::pareto(10, 1.8);
  question.job.deadline.seconds = deadline;
  question.launch = Distribution::constant(1);
  question.slots = slots;
  return question;
}

Prospect campaign(const PlanQuestion& question, const char* policy, std::uint32_t slots, std::uint32_t runs) {
  Scenario scenario = scenario_of(question, slots);
  scenario.jobs.front().handling.policy = policy;
  return foresee(scenario, Runs::exactly(runs), kOtherSeeds);
}

TEST(UnaidedJob, QuantilesInvertTheProbability) {
  const UnaidedJob job(FittedTail::pareto(10, 1.5), 2, {1, 1, 0.5, 0.25});
  for (const double q : {0.01, 0.1, 0.5, 0.9, 0.999}) EXPECT_NEAR(job.done_by(job.quantile(q)), q, 1e-9);
  EXPECT_EQ(job.done_by(11.9), 0);
  EXPECT_NEAR(job.machine_time(), 4 * 2 + 2.75 * 30, 1e-9);
}

TEST(Plan, FormulaHoldsInACampaign) {
  const PlanQuestion question = question_of(20, 24, 70);
  const auto answer = plan(question, {"none", {}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->is_exact);
  const Prospect seen = campaign(question, "none", 24, 2000);
  EXPECT_GE(answer->prospect.pocd.value, seen.pocd.low);
  EXPECT_LE(answer->prospect.pocd.value, seen.pocd.high);
  EXPECT_NEAR(answer->prospect.median, seen.median, 0.05 * seen.median);
  EXPECT_NEAR(answer->prospect.high, seen.high, 0.1 * seen.high);
}

TEST(Plan, FormulaHoldsWhereSegmentsNeedAStart) {
  PlanQuestion question = question_of(20, 24, 90);
  question.job.times.start = Distribution::constant(15);
  const auto answer = plan(question, {"none", {}});
  ASSERT_TRUE(answer && answer->is_exact);
  const Prospect seen = campaign(question, "none", 24, 1000);
  EXPECT_GE(answer->prospect.pocd.value, seen.pocd.low);
  EXPECT_LE(answer->prospect.pocd.value, seen.pocd.high);
  EXPECT_NEAR(answer->prospect.median, seen.median, 0.05 * seen.median);
  EXPECT_NEAR(answer->prospect.machine_time.value, seen.machine_time.value, 0.05 * seen.machine_time.value);
}

TEST(Plan, FormulaHoldsForEveryTail) {
  std::vector<double> seen;
  for (int i = 1; i <= 200; ++i) seen.push_back(i % 10 == 0 ? 40.0 + i : 10.0 + 0.01 * i);
  for (const FittedTail& tail : {FittedTail::lognormal(2.5, 0.5), FittedTail::empirical(seen, {}, 2.5)}) {
    PlanQuestion question = question_of(20, 24, 60);
    question.tail = tail;
    question.job.deadline.seconds = 1 + tail.quantile(0.97);
    const auto answer = plan(question, {"none", {}});
    ASSERT_TRUE(answer && answer->is_exact);
    const Prospect real = campaign(question, "none", 24, 1000);
    EXPECT_GE(answer->prospect.pocd.value, real.pocd.low) << name_of(tail.kind());
    EXPECT_LE(answer->prospect.pocd.value, real.pocd.high) << name_of(tail.kind());
    EXPECT_NEAR(answer->prospect.median, real.median, 0.05 * real.median) << name_of(tail.kind());
    EXPECT_NEAR(answer->prospect.machine_time.value, real.machine_time.value, 0.05 * real.machine_time.value)
        << name_of(tail.kind());
  }
}

TEST(FittedDurations, TheTailIsChosenByTheRuleAndDrawnFromAsItIs) {
  using scheduler::math::TailRule;
  scheduler::math::DurationSample two_kinds;  // no name fits them
  scheduler::math::DurationSample lognormal;
  Random random(1, Purpose::Test);
  for (int i = 0; i < 300; ++i) {
    two_kinds.add_finished((i % 4 == 0 ? 9 : 1) + 0.1 * random.uniform());
    lognormal.add_finished(Distribution::lognormal(0.01, 0.4).sample(random));
  }
  EXPECT_EQ(fitted_durations(two_kinds, 1000)->tail.kind(), scheduler::math::TailKind::Empirical);
  EXPECT_EQ(fitted_durations(lognormal, 1000)->tail.kind(), scheduler::math::TailKind::Lognormal);
  EXPECT_NEAR(fitted_durations(lognormal, 1000)->tail.median(), 10, 1);
  for (const auto* sample : {&two_kinds, &lognormal}) {
    for (const TailRule rule : {TailRule::Pareto, TailRule::Lognormal, TailRule::Empirical}) {
      const FittedTail tail = *sample->tail(rule);
      const Distribution drawn = distribution_of(tail);
      for (const double q : {0.01, 0.3, 0.5, 0.899, 0.99, 0.9999}) {
        EXPECT_NEAR(drawn.at_survival(1 - q), tail.quantile(q), 1e-6 * tail.quantile(q)) << name_of(tail.kind()) << q;
      }
      EXPECT_NEAR(drawn.mean(), tail.mean(), 1e-6 * tail.mean()) << name_of(tail.kind());
    }
  }
}

TEST(Plan, SimulatedPredictionsHoldInACampaign) {
  struct Case {
    const char* policy;
    std::uint32_t slots;
  };
  for (const Case& c : {Case{"none", 6}, Case{"shed+", 24}, Case{"split-resume", 24}}) {
    const PlanQuestion question = question_of(20, c.slots, c.slots == 6 ? 150 : 45);
    const auto answer = plan(question, {c.policy, {}});
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->is_exact);
    const Prospect seen = campaign(question, c.policy, c.slots, 1000);
    EXPECT_LE(answer->prospect.pocd.low, seen.pocd.high) << c.policy;
    EXPECT_GE(answer->prospect.pocd.high, seen.pocd.low) << c.policy;
    EXPECT_NEAR(answer->prospect.median, seen.median, 0.1 * seen.median) << c.policy;
    EXPECT_NEAR(answer->prospect.machine_time.value, seen.machine_time.value, 0.1 * seen.machine_time.value)
        << c.policy;
  }
}

TEST(Plan, TheDeadlineThatItFindsIsMadeWithTheTarget) {
  PlanQuestion question = question_of(10, 12, 100);
  question.target = 0.9;
  question.runs = 200;
  for (const char* policy : {"none", "shed+"}) {
    const auto answer = plan(question, {policy, {}});
    ASSERT_TRUE(answer && answer->deadline) << policy;
    PlanQuestion told = question;
    told.job.deadline.seconds = *answer->deadline;
    EXPECT_GE(campaign(told, policy, 12, 1000).pocd.value, 0.85) << policy;
    told.job.deadline.seconds *= 0.8;
    EXPECT_LT(campaign(told, policy, 12, 1000).pocd.value, 0.9) << policy;
  }
}

TEST(Plan, TheSlotsThatItFindsReachTheTargetAndFewerDoNot) {
  PlanQuestion question = question_of(12, 4, 100);
  question.target = 0.8;
  question.runs = 200;
  const auto answer = plan(question, {"shed+", {}});
  ASSERT_TRUE(answer && answer->slots);
  EXPECT_GE(campaign(question, "shed+", *answer->slots, 1000).pocd.value, 0.74);
  EXPECT_LT(campaign(question, "shed+", *answer->slots - 1, 1000).pocd.value, 0.86);
  EXPECT_GT(*answer->slots, 1u);
}

TEST(Plan, SaysWhenNoNumberOfSlotsReachesTheTarget) {
  PlanQuestion question = question_of(12, 4, 12);
  question.target = 0.99;
  const auto answer = plan(question, {"none", {}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->has_searched);
  EXPECT_FALSE(answer->slots);
}

TEST(Plan, LeavesOutSearchesThatWouldTakeLong) {
  const auto answer = plan(question_of(500, 500, 1000), {"hadoop", {}});
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->has_searched);
  EXPECT_GE(answer->prospect.runs, 5u);
}

TEST(Plan, SimulatesNotMuchMoreHoweverSlowAttemptsMayBe) {
  for (const double beta : {0.3, 0.55, 1.5}) {
    for (const double deadline : {60., 3600.}) {
      PlanQuestion question = question_of(40, 20, deadline);
      question.tail = FittedTail::pareto(2, beta);
      for (const char* policy : {"none", "shed+", "split-resume"}) {
        const auto answer = plan(question, {policy, {}});
        ASSERT_TRUE(answer);
        EXPECT_LE(static_cast<double>(answer->steps), 2 * static_cast<double>(question.steps))
            << policy << ", beta " << beta << ", deadline " << deadline;
      }
    }
  }
}

TEST(Plan, GivesUpNoUsualRunHoweverManyTasksAndHoweverLongTheirs) {
  PlanQuestion many = question_of(1000, 8, 600);
  many.tail = FittedTail::pareto(30, 1.8);
  PlanQuestion long_ones = question_of(20, 8, 600);
  long_ones.tail = FittedTail::pareto(86'400, 1.8);
  for (const PlanQuestion& question : {many, long_ones}) {
    const auto answer = plan(question, {"none", {}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->prospect.unfinished, 0u);
  }
}

TEST(Plan, RefusesAJobThatWouldBeLookedAtForTooLong) {
  PlanQuestion question = question_of(20, 20, 1000);
  question.tail = FittedTail::pareto(86'400. * 1000, 1.8);
  const auto answer = plan(question, {"hadoop", {}});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("would take too long"), std::string::npos) << answer.error().message;
}

TEST(Plan, GivesUpWhatDoesNotEndAndSaysWhen) {
  PlanQuestion question = question_of(40, 20, 60);
  question.tail = FittedTail::pareto(2, 0.3);
  const auto answer = plan(question, {"none", {}});
  ASSERT_TRUE(answer);
  const Prospect& prospect = answer->prospect;
  EXPECT_GT(prospect.unfinished, prospect.runs / 2);
  EXPECT_EQ(prospect.median, kForEver);
  EXPECT_GE(prospect.followed, 3 * 60);
  EXPECT_EQ(prospect.flow_times.size(), prospect.runs);
}

TEST(Plan, RefusesAPolicyThatThereIsNot) { EXPECT_FALSE(plan(question_of(2, 2, 10), {"nobody", {}})); }

}  // namespace
}  // namespace ontime::lab
