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

TEST(Calibration, SilenceIsCountedAndNotScored) {
  Calibration calibration;
  calibration.add(std::numeric_limits<double>::quiet_NaN(), true);
  EXPECT_EQ(calibration.silent(), 1u);
  EXPECT_EQ(calibration.count(), 0u);
  EXPECT_TRUE(std::isnan(calibration.brier()));
}

RC_GTEST_PROP(Calibration, EachForecastIsInTheBinOfItsTenth, ()) {
  Calibration calibration;
  const int count = *rc::gen::inRange(1, 200);
  for (int i = 0; i < count; ++i) calibration.add(*rc::gen::inRange(0, 1001) / 1000.0, i % 3 == 0);
  std::uint64_t all = 0;
  double forecasts = 0;
  for (std::size_t i = 0; i < Calibration::kBins; ++i) {
    const Calibration::Bin& bin = calibration.bins()[i];
    all += bin.count;
    forecasts += bin.forecasts;
    if (bin.count == 0) continue;
    RC_ASSERT(bin.mean_forecast() > 0.1 * static_cast<double>(i) - 1e-9);
    RC_ASSERT(bin.mean_forecast() < 0.1 * static_cast<double>(i + 1) + 1e-9);
  }
  RC_ASSERT(all == static_cast<std::uint64_t>(count));
  RC_ASSERT(std::abs(forecasts / count - calibration.base_rate() - calibration.bias()) < 1e-9);
}

}  // namespace
}  // namespace ontime::lab
