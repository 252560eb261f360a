// Estimators on attempts whose completion is known, and the defects that exist only as written.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "scheduler/math/estimator.h"
#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"
#include "tests/pocd/generators.h"
#include "tests/pocd/handover.h"

namespace ontime::scheduler::test {
namespace {

using namespace math;     // NOLINT
using namespace chronos;  // NOLINT
using namespace shed;     // NOLINT

// An attempt that works evenly from `begin` on and gets from progress `from` to 1 in `takes`.
struct SteadyAttempt {
  double begin = 0;
  double from = 0;
  double takes = 100;
  Reading at(double time) const { return {time, from + (1 - from) * (time - begin) / takes}; }
};

TEST(Estimators, ThoseThatRememberReadingsAreMadeByName) {
  for (const std::string_view name : {"exponential", "simple-exponential"}) {
    const auto estimator = make_estimator(name, 0);
    ASSERT_TRUE(estimator) << name;
    EXPECT_FALSE(estimator->completion()) << name;
    const SteadyAttempt attempt;
    for (int second = 1; second <= 50; ++second) estimator->observe(attempt.at(second));
    ASSERT_TRUE(estimator->completion()) << name;
    EXPECT_NEAR(*estimator->completion(), 100, 1e-9) << name;
  }
  EXPECT_EQ(make_estimator("oracle", 0), nullptr);
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
  slow_down(quick);
  EXPECT_NEAR(*quick.completion(), 80 + 0.47 / 0.001, 15);
}

TEST(ExponentialEstimate, IgnoresReportsThatContradict) {
  ExponentialEstimator estimator(0, 5);
  estimator.observe({10, 0.2});
  estimator.observe({10, 0.9});
  estimator.observe({12, 0.1});
  EXPECT_NEAR(*estimator.completion(), 50, 1e-9);
}

TEST(SimpleExponentialEstimate, HasNoOpinionOnTheYoung) {
  SimpleExponentialEstimator estimator(0, {10, 3});
  estimator.observe({1, 0.1});
  EXPECT_FALSE(estimator.completion());
}

TEST(DurationStatistics, OneFinishedTaskIsAnExpectation) {
  DurationStatistics statistics;
  EXPECT_EQ(statistics.new_attempt(), 0);
  statistics.add(40);
  EXPECT_EQ(statistics.new_attempt(), 40);
}

RC_GTEST_PROP(HandoverProperty, ASteadyReaderMeetsTheCopyWhenItIsReady, ()) {
  const double rate = any_real(1e5, 1e8);
  const double launch = any_real(0.1, 60);
  OriginalPace pace;
  pace.b_start = any_real(0, 1e9);
  pace.t_launched = any_real(0, 100);
  pace.t_processing = pace.t_launched + launch;
  pace.t_first = pace.t_processing + any_real(0, 20);
  pace.t_now = pace.t_first + any_real(1, 100);
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
}  // namespace ontime::scheduler::test
