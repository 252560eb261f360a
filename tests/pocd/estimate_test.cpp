// Estimators on attempts whose completion is known, and the defects that exist only as written.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "scheduler/math/estimator.h"
#include "scheduler/policies/baselines/hadoop.h"
#include "scheduler/policies/pieces.h"
#include "tests/pocd/generators.h"
#include "tests/pocd/handover.h"

namespace ontime::scheduler::estimate {
namespace {

// An attempt that works evenly from `begin` on and gets from progress `from` to 1 in `takes`.
struct SteadyAttempt {
  double begin = 0;
  double from = 0;
  double takes = 100;
  Reading at(double time) const { return {time, from + (1 - from) * (time - begin) / takes}; }
};

RC_GTEST_PROP(ChronosEstimate, IsExactForSteadyAttemptsResumedOrNot, ()) {
  const SteadyAttempt attempt{pocd::any_real(0, 50), pocd::any_real(0, 0.9), pocd::any_real(1, 500)};
  ChronosEstimator estimator;
  const double first = attempt.begin + attempt.takes * pocd::any_real(0, 0.4);
  estimator.observe(attempt.at(first));
  RC_ASSERT(!estimator.completion());
  estimator.observe(attempt.at(first + attempt.takes * pocd::any_real(0.1, 0.5)));
  const double done = attempt.begin + attempt.takes;
  RC_ASSERT(std::abs(*estimator.completion() - done) <= 1e-9 * done);
}

TEST(ChronosEstimate, AsPrintedCountsTheResumedPartOnceMore) {
  const SteadyAttempt resumed{0, 0.5, 100};
  EXPECT_NEAR(chronos_completion(resumed.at(0), resumed.at(50), pocd::Form::AsPrinted), 200, 1e-9);
  EXPECT_NEAR(chronos_completion(resumed.at(0), resumed.at(50)), 100, 1e-9);
}

TEST(ChronosEstimate, WithoutProgressItNeverEnds) {
  ChronosEstimator estimator;
  estimator.observe({1, 0.2});
  estimator.observe({9, 0.2});
  EXPECT_TRUE(std::isinf(*estimator.completion()));
  EXPECT_TRUE(std::isinf(byte_completion({1, 100}, {9, 100}, 200)));
}

TEST(ChronosEstimate, CountsBytesUpToAMovedEnd) {
  EXPECT_EQ(byte_completion({10, 1000}, {20, 2000}, 5000), 50);
  EXPECT_EQ(byte_completion({10, 1000}, {20, 2000}, 3000), 30);
  EXPECT_EQ(byte_completion({10, 1000}, {20, 2000}, 2000), 20);
}

TEST(Estimators, AreKnownByName) {
  for (const std::string_view name : estimator_names()) {
    const auto estimator = make_estimator(name, 0, {60, 120, 1});
    ASSERT_TRUE(estimator) << name;
    EXPECT_FALSE(estimator->completion()) << name;
    const SteadyAttempt attempt;
    for (int second = 1; second <= 50; ++second) estimator->observe(attempt.at(second));
    ASSERT_TRUE(estimator->completion()) << name;
    EXPECT_NEAR(*estimator->completion(), 100, 1e-9) << name;
  }
  EXPECT_EQ(make_estimator("oracle", 0), nullptr);
}

TEST(Estimators, OnlyChronosLeavesTheLaunchOut) {
  const SteadyAttempt attempt{30, 0, 100};  // launched at 0, works from 30 on
  const auto chronos = make_estimator("chronos", 0);
  const auto hadoop = make_estimator("hadoop", 0);
  for (const double time : {30.0, 50.0}) {
    chronos->observe(attempt.at(time));
    hadoop->observe(attempt.at(time));
  }
  EXPECT_NEAR(*chronos->completion(), 130, 1e-9);
  EXPECT_NEAR(*hadoop->completion(), 250, 1e-9);
}

// Half the work at full speed, then ten times slower.
template <class E>
void slow_down(E& estimator) {
  for (int second = 1; second <= 50; ++second) estimator.observe({static_cast<double>(second), 0.01 * second});
  for (int second = 51; second <= 80; ++second) {
    estimator.observe({static_cast<double>(second), 0.5 + 0.001 * (second - 50)});
  }
}

TEST(ExponentialEstimate, FollowsAnAttemptThatSlowsDown) {
  ExponentialEstimator quick(0, 5);
  ExponentialEstimator inverse(0, 5, Smoothed::TimePerProgress);
  slow_down(quick);
  slow_down(inverse);
  EXPECT_NEAR(*quick.completion(), 80 + 0.47 / 0.001, 15);
  EXPECT_NEAR(*inverse.completion(), 80 + 0.47 / 0.001, 15);
}

TEST(ExponentialEstimate, AsWrittenDropsTheFirstReportAndTurnsAwayFromTheNewest) {
  ExponentialEstimator written(0, 10, Smoothed::Rate, Defects::AsWritten);
  written.observe({1, 0.1});
  EXPECT_FALSE(written.completion());
  written.observe({2, 0.11});
  written.observe({3, 0.21});  // faster; the weight of the new rate is 1 - exp(0.1) < 0
  ExponentialEstimator fixed(0, 10);
  for (const Reading reading : {Reading{2, 0.11}, Reading{3, 0.21}}) fixed.observe(reading);
  EXPECT_GT(*written.completion(), 3 + 0.79 / 0.01);
  EXPECT_LT(*fixed.completion(), 3 + 0.79 / 0.055);
}

TEST(ExponentialEstimate, IgnoresReportsThatContradict) {
  ExponentialEstimator estimator(0, 5);
  estimator.observe({10, 0.2});
  estimator.observe({10, 0.9});
  estimator.observe({12, 0.1});
  EXPECT_NEAR(*estimator.completion(), 50, 1e-9);
}

TEST(SimpleExponentialEstimate, HasNoOpinionOnTheYoungUnlessAsWritten) {
  const SmoothingSettings settings{10, 3, 1e-7, 20};
  SimpleExponentialEstimator fixed(0, settings);
  SimpleExponentialEstimator written(0, settings, Defects::AsWritten);
  fixed.observe({1, 0.1});
  written.observe({1, 0.1});
  EXPECT_FALSE(fixed.completion());
  EXPECT_NEAR(*written.completion(), 1 + 0.9 / 1e-7, 1);
}

TEST(SimpleExponentialEstimate, NoticesStagnationWhichAsWrittenReverses) {
  const SmoothingSettings settings{10, 3, 1e-7, 20};
  SimpleExponentialEstimator fixed(0, settings);
  SimpleExponentialEstimator written(0, settings, Defects::AsWritten);
  for (SimpleExponentialEstimator* estimator : {&fixed, &written}) {
    estimator->observe({5, 0.1});
    estimator->observe({30, 0.1});
  }
  EXPECT_FALSE(fixed.is_stagnated(10));
  EXPECT_TRUE(fixed.is_stagnated(30));
  EXPECT_TRUE(written.is_stagnated(10));
  EXPECT_FALSE(written.is_stagnated(30));
}

TEST(DurationStatistics, OneFinishedTaskIsAnExpectationUnlessAsWritten) {
  DurationStatistics statistics;
  EXPECT_EQ(statistics.new_attempt(), 0);
  statistics.add(40);
  EXPECT_EQ(statistics.new_attempt(), 40);
  EXPECT_EQ(statistics.new_attempt(Defects::AsWritten), 0);
}

RC_GTEST_PROP(HandoverProperty, ASteadyReaderMeetsTheCopyWhenItIsReady, ()) {
  const double rate = pocd::any_real(1e5, 1e8);
  const double launch = pocd::any_real(0.1, 60);
  OriginalPace pace;
  pace.b_start = pocd::any_real(0, 1e9);
  pace.t_launched = pocd::any_real(0, 100);
  pace.t_processing = pace.t_launched + launch;
  pace.t_first = pace.t_processing + pocd::any_real(0, 20);
  pace.t_now = pace.t_first + pocd::any_real(1, 100);
  pace.b_first = rate * (pace.t_first - pace.t_processing);
  pace.b_done = rate * (pace.t_now - pace.t_processing);
  const double met = pace.b_start + rate * (pace.t_now + launch - pace.t_processing);
  const double shown = (pace.b_done - pace.b_first) / (pace.t_now - pace.t_first);
  const auto shipped = linear_handover(pace.b_start + pace.b_done, shown, launch, 2 * met);
  RC_ASSERT(shipped && std::abs(*shipped - met) <= 1e-6 * met);
  RC_ASSERT(handover_as_printed(pace).b_new >= met * (1 - 1e-9));  // too far ahead
}

TEST(Handover, NothingIsLeftForACopyAtTheEnd) {
  EXPECT_FALSE(linear_handover(990, 5, 2, 1000));
  EXPECT_EQ(linear_handover(989, 5, 2, 1000), 999);
}

}  // namespace
}  // namespace ontime::scheduler::estimate
