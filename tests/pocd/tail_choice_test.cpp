// Which tail is chosen for what was seen, and that every tail is a distribution.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "scheduler/math/distributions.h"
#include "scheduler/math/durations.h"
#include "scheduler/math/fitted_tail.h"
#include "tests/pocd/generators.h"

namespace ontime::scheduler::test {
namespace {

using namespace math;     // NOLINT
using namespace chronos;  // NOLINT
using namespace shed;     // NOLINT

using math::FittedTail;
using math::TailKind;
using test::any_real;

template <class Tail>
std::vector<double> draw(const Tail& tail, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(tail.quantile(uniform(engine)));
  return times;
}

template <class Tail>
TailKind chosen(const Tail& tail, std::size_t count, std::uint64_t seed) {
  return choose_tail(draw(tail, count, seed), {}, TailRule::Auto)->kind();
}

template <class Tail>
int times_chosen(const Tail& tail, std::size_t count, TailKind kind) {
  int times = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) times += chosen(tail, count, seed) == kind ? 1 : 0;
  return times;
}

TEST(TailChoice, PicksTheLognormalOnLognormalSamples) {
  for (const double sigma : {0.1, 0.4, 1.2}) {
    EXPECT_GE(times_chosen(math::Lognormal(3, sigma), 20, TailKind::Lognormal), 80) << sigma;
    EXPECT_GE(times_chosen(math::Lognormal(3, sigma), 100, TailKind::Lognormal), 95) << sigma;
  }
}

TEST(TailChoice, PicksParetoOnParetoSamples) {
  for (const double beta : {0.8, 1.5, 5.0}) {
    EXPECT_GE(times_chosen(math::Pareto(20, beta), 100, TailKind::Pareto), 95) << beta;
    EXPECT_GE(times_chosen(math::Pareto(20, beta), 40, TailKind::Pareto), 80) << beta;
  }
}

TEST(TailChoice, TakesDurationsAsTheyAreWhereNeitherFits) {
  std::vector<double> times = draw(math::Lognormal(1, 0.05), 100, 1);  // two kinds of tasks
  for (const double time : draw(math::Lognormal(3, 0.05), 100, 2)) times.push_back(time);
  const auto tail = choose_tail(times, {}, TailRule::Auto);
  EXPECT_EQ(tail->kind(), TailKind::Empirical);
  EXPECT_NEAR(std::exp(tail->ln_survival(7)), 0.5, 0.06);
  EXPECT_NEAR(std::exp(tail->ln_survival(20)), 0.25, 0.05);
}

TEST(TailChoice, CensoredTimesMakeTheTailLonger) {
  const std::vector<double> all = draw(math::Lognormal(3, 0.5), 400, 3);
  std::vector<double> finished;
  std::vector<double> censored;
  for (const double time : all) (time <= 25 ? finished : censored).push_back(std::min(time, 25.0));
  const auto with = choose_tail(finished, censored, TailRule::Lognormal);
  EXPECT_NEAR(with->first(), 3, 0.06);
  EXPECT_NEAR(with->second(), 0.5, 0.05);
  EXPECT_LT(choose_tail(finished, {}, TailRule::Lognormal)->second(), 0.45);
}

TEST(TailChoice, FewObservationsAreDrawnTowardsWhatIsUsual) {
  const std::vector<double> alike{9.0, 10.0, 100.0 / 9};
  const auto few = choose_tail(alike, {}, TailRule::Auto);
  EXPECT_EQ(few->kind(), TailKind::Lognormal);
  EXPECT_NEAR(few->median(), 10, 1e-9);
  EXPECT_GT(few->second(), 0.3);
  std::vector<double> many;
  for (int i = 0; i < 100; ++i) many.insert(many.end(), alike.begin(), alike.end());
  EXPECT_LT(choose_tail(many, {}, TailRule::Lognormal)->second(), 0.12);
  EXPECT_FALSE(choose_tail({}, alike, TailRule::Auto));
}

TailRule any_rule() {
  return *rc::gen::element(TailRule::Pareto, TailRule::Auto, TailRule::Lognormal, TailRule::Empirical);
}

std::vector<double> any_times(int least, int most) {
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(least, most));
  const double spread = any_real(0, 3);  // 0: all alike
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(std::exp(spread * any_real(-2, 2)) * 1e-7);
  return times;
}

RC_GTEST_PROP(TailChoice, EveryTailFallsFromOneAndIsNeverNotANumber, ()) {
  const auto tail = choose_tail(any_times(1, 200), any_times(0, 100), any_rule());
  RC_ASSERT(tail.has_value());
  double last = 0;
  for (double t = 1e-11; t < 1; t *= 1.7) {
    const double ln = tail->ln_survival(t);
    RC_ASSERT(!std::isnan(ln));
    RC_ASSERT(ln <= last + 1e-12);
    last = ln;
  }
  RC_ASSERT(tail->ln_survival(0) == 0);
  RC_ASSERT(std::isfinite(tail->median()) && tail->median() > 0);
}

RC_GTEST_PROP(TailChoice, QuantilesUndoSurvivalAndRise, ()) {
  const auto tail = choose_tail(any_times(1, 200), {}, any_rule());
  double last = 0;
  for (const double q : {0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
    const double t = tail->quantile(q);
    RC_ASSERT(t >= last && std::isfinite(t));
    last = t;
    RC_ASSERT(std::abs(std::exp(tail->ln_survival(t)) - (1 - q)) < 2e-3);
  }
}

RC_GTEST_PROP(TailChoice, MeansAreWhatTheSurvivalAddsUpTo, ()) {
  const auto tail = choose_tail(any_times(2, 200), {}, any_rule());
  const double x = tail->quantile(any_real(0.05, 0.97));
  double area = 0;
  constexpr int kSteps = 20'000;
  for (int i = 0; i < kSteps; ++i) area += std::exp(tail->ln_survival((i + 0.5) * x / kSteps)) * x / kSteps;
  RC_ASSERT(std::abs(tail->mean_capped(x) / area - 1) < 0.01);
  RC_ASSERT(tail->mean() >= tail->mean_capped(x) * (1 - 1e-9));
}

RC_GTEST_PROP(TailChoice, TheQuickNormalTailIsTheExactOne, ()) {
  const double m = any_real(-20, 5);
  const double s = any_real(0.02, 3);
  const double t = std::exp(m + s * any_real(-10, 10));
  const double exact = math::Lognormal(m, s).ln_survival(t);
  RC_ASSERT(std::abs(FittedTail::lognormal(m, s).ln_survival(t) - exact) <= 1e-4 * std::max(1.0, -exact));
}

DurationSample sample_of(const std::vector<double>& finished) {
  DurationSample sample;
  for (const double time : finished) sample.add_finished(time);
  return sample;
}

TEST(Durations, AsThePapersHaveNoTailOfTheirOwn) {
  const DurationSample sample = sample_of({1, 2, 3, 4, 5, 6});
  const Durations durations = choose_durations(&sample, {}, {}, {}, 1);
  EXPECT_FALSE(durations.tail);
  EXPECT_EQ(durations.t_min, 1);
  EXPECT_DOUBLE_EQ(durations.median(), std::exp2(1 / durations.beta));
  EXPECT_DOUBLE_EQ(durations.ln_survival(2), -durations.beta * std::log(2));
}

TEST(Durations, WithATailTheLeastIsWhatHardlyAnyAttemptIsBelow) {
  const DurationSample sample = sample_of(draw(math::Lognormal(2, 0.3), 200, 5));
  DurationHints hints;
  hints.tail = TailRule::Auto;
  const Durations durations = choose_durations(&sample, {}, {}, hints, 1);
  ASSERT_TRUE(durations.tail);
  EXPECT_EQ(durations.source, DurationSource::Profile);
  EXPECT_NEAR(durations.ln_survival(durations.t_min), std::log1p(-kLeastShare), 1e-3);
  EXPECT_NEAR(durations.median(), std::exp(2), 0.5);
}

TEST(Durations, RunningAttemptsCountWhereOnlyTheFastHaveFinished) {
  const DurationSample job = sample_of({1, 1, 1, 1, 1});
  const std::vector<double> running(20, 3.0);
  DurationHints hints;
  hints.tail = TailRule::Auto;
  const Durations durations = choose_durations(nullptr, job, running, hints, 1);
  EXPECT_EQ(durations.samples, 25u);
  EXPECT_GT(durations.median(), 1.8);
}

TEST(Durations, WhatTheUserSaysIsParetoAsSaid) {
  DurationHints hints;
  hints.tail = TailRule::Auto;
  hints.t_min = 20;
  hints.beta = 1.5;
  hints.only = DurationSource::Flags;
  const Durations durations = choose_durations(nullptr, {}, {}, hints, 10);
  ASSERT_TRUE(durations.tail);
  EXPECT_EQ(durations.tail->kind(), TailKind::Pareto);
  EXPECT_EQ(durations.t_min, 2);
  EXPECT_DOUBLE_EQ(durations.ln_survival(4), -1.5 * std::log(2));
}

TEST(Durations, ASampleThatGrowsHasAnotherTail) {
  DurationSample sample = sample_of({1, 2, 3, 4, 5});
  const double before = sample.tail(TailRule::Lognormal)->median();
  for (int i = 0; i < 20; ++i) sample.add_finished(10);
  EXPECT_GT(sample.tail(TailRule::Lognormal)->median(), before + 1);
  EXPECT_EQ(sample.tail(TailRule::Pareto)->kind(), TailKind::Pareto);
}

}  // namespace
}  // namespace ontime::scheduler::test
