// Distributions of execution times and their fits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "scheduler/math/distributions.h"
#include "scheduler/math/fitted_tail.h"
#include "tests/pocd/generators.h"

namespace ontime::scheduler::test {
namespace {

using namespace math;     // NOLINT
using namespace chronos;  // NOLINT
using namespace shed;     // NOLINT

// Attempts of which those longer than `patience` still run: finished times, and how long the others have run.
struct Sample {
  std::vector<double> finished;
  std::vector<double> running;
};

template <class Tail>
Sample censored_sample(const Tail& tail, int count, double patience) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  Sample sample;
  for (int i = 0; i < count; ++i) {
    const double t = tail.quantile(uniform(engine));
    (t <= patience ? sample.finished : sample.running).push_back(std::min(t, patience));
  }
  return sample;
}

TEST(ParetoFit, FindsTheShapeAlthoughTheSlowestStillRun) {
  const Sample sample = censored_sample(Pareto(20, 1.6), 20'000, 35);
  const auto fit = fit_pareto(sample.finished, sample.running);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->distribution.t_min(), 20, 0.01);
  EXPECT_NEAR(fit->distribution.beta(), 1.6, 4 * fit->beta_error);
  EXPECT_EQ(fit->finished + fit->running, 20'000U);
  // Without the running ones the tail would look far lighter.
  EXPECT_GT(fit_pareto(sample.finished, {})->distribution.beta(), 3);
}

TEST(ParetoFit, HasNothingToSayBeforeAnAttemptHasFinished) { EXPECT_FALSE(fit_pareto({}, std::vector<double>{3.0})); }

TEST(ParetoFit, RunningAttemptsYoungerThanTheShortestDoNotCount) {
  const auto fit = fit_pareto(std::vector<double>{10, 20}, std::vector<double>{5, 40});
  EXPECT_DOUBLE_EQ(fit->distribution.beta(), 2 / (std::log(2.0) + std::log(4.0)));
  EXPECT_EQ(fit->running, 1U);
}

TEST(ParetoFit, KeepsAKnownShortestTime) {
  const auto fit = fit_pareto_beta(5, std::vector<double>{4, 10}, {});
  EXPECT_DOUBLE_EQ(fit->distribution.beta(), 2 / std::log(2.0));
  EXPECT_FALSE(std::isfinite(fit_pareto_beta(5, std::vector<double>{5, 5}, {})->distribution.beta()));
}

TEST(LognormalFit, FindsBothParametersAlthoughTheSlowestStillRun) {
  const Sample sample = censored_sample(Lognormal(3, 0.7), 20'000, 30);
  const auto fit = fit_lognormal(sample.finished, sample.running);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->m(), 3, 0.02);
  EXPECT_NEAR(fit->s(), 0.7, 0.02);
}

TEST(LognormalFit, NeedsTwoDifferentTimes) {
  EXPECT_FALSE(fit_lognormal(std::vector<double>{3.0}, {}));
  EXPECT_FALSE(fit_lognormal(std::vector<double>{1.0, 1.0}, {}));
  const auto fit = fit_lognormal(std::vector<double>{1.0, std::exp(2.0)}, {});
  EXPECT_NEAR(fit->m(), 1, 1e-12);
  EXPECT_NEAR(fit->s(), 1, 1e-12);
}

TEST(Normal, IsAccurateInTheFarTail) {
  // From 50-digit arithmetic.
  EXPECT_NEAR(ln_normal_survival(0), std::log(0.5), 1e-16);
  EXPECT_NEAR(ln_normal_survival(4.999) / -15.059812373671576, 1, 1e-13);
  EXPECT_NEAR(ln_normal_survival(5.001) / -15.070185381609440, 1, 1e-13);
  EXPECT_NEAR(ln_normal_survival(40) / -804.60844201375379, 1, 1e-14);
  EXPECT_NEAR(ln_normal_survival(-3) / -0.0013508099647481938, 1, 1e-13);
}

RC_GTEST_PROP(TailProperty, QuantileAndSurvivalAreInverse, ()) {
  const double q = any_real(1e-6, 1 - 1e-6);
  const auto check = [q](const auto& tail) {
    RC_ASSERT(std::abs(-std::expm1(tail.ln_survival(tail.quantile(q))) - q) <= 1e-11);
  };
  check(Pareto(any_real(1, 50), any_real(0.3, 5)));
  check(Lognormal(any_real(-2, 5), any_real(0.1, 2)));
}

RC_GTEST_PROP(TailProperty, ACapOnlyEverShortensTheMean, ()) {
  const double x = any_real(0, 500);
  const double y = x + any_real(0, 100);
  const auto check = [x, y](const auto& tail) {
    const double capped = tail.mean_capped(x);
    RC_ASSERT(capped <= x * (1 + 1e-12));
    RC_ASSERT(capped <= tail.mean_capped(y) * (1 + 1e-12));
    RC_ASSERT(tail.mean_capped(y) <= tail.mean() * (1 + 1e-9));
  };
  check(Pareto(any_real(1, 50), any_real(0.3, 5)));
  check(Lognormal(any_real(-2, 5), any_real(0.1, 2)));
  check(FittedTail::empirical(std::vector<double>{3, 5, 80}, std::vector<double>{4, 100}, 1.5));
}

std::vector<std::pair<double, double>> steps(const std::vector<double>& finished, const std::vector<double>& running) {
  std::vector<std::pair<double, double>> steps;
  for (const SurvivalStep& step : kaplan_meier(finished, running)) steps.emplace_back(step.time, step.survival);
  return steps;
}

using Steps = std::vector<std::pair<double, double>>;

TEST(KaplanMeier, IsTheStepFunctionOfWhatFinished) {
  EXPECT_EQ(steps({3, 1, 2, 4}, {}), (Steps{{1, 0.75}, {2, 0.75 * (2 / 3.0)}, {3, 0.75 * (2 / 3.0) * 0.5}, {4, 0}}));
  EXPECT_EQ(steps({2, 1, 2, 2}, {}), (Steps{{1, 0.75}, {2, 0}}));
}

TEST(KaplanMeier, SharesWhatRunningAttemptsLeaveOpenAmongTheLater) {
  EXPECT_EQ(steps({1, 3}, {2}), (Steps{{1, 2.0 / 3}, {3, 0}}));
  EXPECT_EQ(steps({1}, {2}), (Steps{{1, 0.5}}));  // nothing is known of the others
  EXPECT_TRUE(steps({}, {1}).empty());
}

}  // namespace
}  // namespace ontime::scheduler::test
