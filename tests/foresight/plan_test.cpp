// Seeds are fixed, so every number here is the same on every run.
#include "simulator/foresight/plan.h"

#include <gtest/gtest.h>

#include "simulator/foresight/unaided_job.h"

namespace ontime::simulator {
namespace {

constexpr std::uint64_t kOtherSeeds = 1'000'000;

PlanQuestion question_of(std::uint32_t tasks, std::uint32_t slots, double deadline) {
  PlanQuestion question;
  question.job.split_bytes = 1 << 20;
  question.job.file_bytes = {std::uint64_t{tasks} << 20};
  question.job.record_bytes = 1 << 10;
  question.t_min = 10;
  question.beta = 1.8;
  question.job.duration = Distribution::pareto(question.t_min, question.beta);
  question.job.deadline = deadline;
  question.launch = Distribution::constant(1);
  question.slots = slots;
  return question;
}

Prospect campaign(const PlanQuestion& question, const char* policy, std::uint32_t slots, std::uint32_t runs) {
  Scenario scenario = scenario_of(question, slots);
  scenario.jobs.front().policy = policy;
  return foresee(scenario, runs, kOtherSeeds);
}

TEST(UnaidedJob, QuantilesInvertTheProbability) {
  const UnaidedJob job(10, 1.5, 2, {1, 1, 0.5, 0.25});
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
    told.job.deadline = *answer->deadline;
    EXPECT_GE(campaign(told, policy, 12, 1000).pocd.value, 0.85) << policy;
    told.job.deadline *= 0.8;
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
  EXPECT_EQ(answer->prospect.runs, 20u);
}

TEST(Plan, RefusesAPolicyThatThereIsNot) { EXPECT_FALSE(plan(question_of(2, 2, 10), {"nobody", {}})); }

}  // namespace
}  // namespace ontime::simulator
