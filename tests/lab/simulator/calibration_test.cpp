#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "lab/results/interval.h"

namespace ontime::lab {
namespace {

TEST(Calibration, PerfectForecastsScoreNothing) {
  Calibration calibration;
  for (int i = 0; i < 10; ++i) calibration.add(i < 3 ? 1 : 0, i < 3);
  EXPECT_EQ(calibration.brier(), 0);
  EXPECT_DOUBLE_EQ(calibration.base_rate(), 0.3);
  EXPECT_EQ(calibration.bias(), 0);
}

TEST(Calibration, SayingTheBaseRateScoresItsUncertainty) {
  Calibration calibration;
  for (int i = 0; i < 10; ++i) calibration.add(0.3, i < 3);
  EXPECT_NEAR(calibration.brier(), 0.21, 1e-12);
  EXPECT_NEAR(calibration.uncertainty(), 0.21, 1e-12);
  EXPECT_NEAR(calibration.bias(), 0, 1e-12);
}

TEST(Calibration, SilenceDoesNotCount) {
  Calibration calibration;
  calibration.add(std::numeric_limits<double>::quiet_NaN(), true);
  EXPECT_TRUE(std::isnan(calibration.brier()));
  calibration.add(0.5, false);
  EXPECT_EQ(calibration.base_rate(), 0);
}

RC_GTEST_PROP(Calibration, ItsBiasIsWhatTheMeanForecastIsAboveTheBaseRate, ()) {
  Calibration calibration;
  const int count = *rc::gen::inRange(1, 200);
  double forecasts = 0;
  for (int i = 0; i < count; ++i) {
    const double forecast = *rc::gen::inRange(0, 1001) / 1000.0;
    calibration.add(forecast, i % 3 == 0);
    forecasts += forecast;
  }
  RC_ASSERT(std::abs(forecasts / count - calibration.base_rate() - calibration.bias()) < 1e-9);
}

}  // namespace
}  // namespace ontime::lab
