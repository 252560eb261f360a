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
  EXPECT_DOUBLE_EQ(calibration.skill(), 1);
  EXPECT_DOUBLE_EQ(calibration.base_rate(), 0.3);
  EXPECT_EQ(calibration.reliability(), 0);
  EXPECT_DOUBLE_EQ(calibration.resolution(), calibration.uncertainty());
}

TEST(Calibration, SayingTheBaseRateHasNoSkill) {
  Calibration calibration;
  for (int i = 0; i < 10; ++i) calibration.add(0.3, i < 3);
  EXPECT_NEAR(calibration.brier(), 0.21, 1e-12);
  EXPECT_NEAR(calibration.skill(), 0, 1e-12);
  EXPECT_NEAR(calibration.bias(), 0, 1e-12);
}

TEST(Calibration, SilenceIsCountedAndNotScored) {
  Calibration calibration;
  calibration.add(std::numeric_limits<double>::quiet_NaN(), true);
  EXPECT_EQ(calibration.silent(), 1u);
  EXPECT_EQ(calibration.count(), 0u);
  EXPECT_TRUE(std::isnan(calibration.brier()));
}

// Murphy: Brier = reliability - resolution + uncertainty, but for what forecasts of one bin differ by.
RC_GTEST_PROP(Calibration, TheScoreIsTheSumOfItsParts, ()) {
  Calibration calibration;
  Calibration other;
  const int count = *rc::gen::inRange(1, 200);
  for (int i = 0; i < count; ++i) {
    const int tenth = *rc::gen::inRange(0, 11);
    const bool happened = *rc::gen::inRange(0, 11) < tenth;
    (i % 2 == 0 ? calibration : other).add(tenth == 10 ? 0.95 : tenth / 10.0 + 0.05, happened);
  }
  calibration.add(other);
  RC_ASSERT(calibration.count() == static_cast<std::uint64_t>(count));
  const double parts = calibration.reliability() - calibration.resolution() + calibration.uncertainty();
  RC_ASSERT(std::abs(calibration.brier() - parts) < 1e-9);
}

}  // namespace
}  // namespace ontime::lab
