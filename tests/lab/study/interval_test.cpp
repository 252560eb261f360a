#include "lab/results/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace ontime::lab {
namespace {

TEST(Interval, QuantilesOfStudentAreThoseOfTables) {
  EXPECT_NEAR(student_t(1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t(9), 2.26216, 1e-5);
  EXPECT_NEAR(student_t(11), 2.20099, 2e-4);
  EXPECT_NEAR(student_t(29), 2.04523, 2e-5);
  EXPECT_NEAR(student_t(100000), 1.95999, 1e-4);
}

TEST(Interval, MeanOfRunsHasItsHalfWidth) {
  const std::vector<double> values{1, 2, 3, 4};
  const Estimate estimate = estimate_of(values);
  EXPECT_EQ(estimate.value, 2.5);
  EXPECT_NEAR(estimate.margin(), 3.182446 * std::sqrt(5.0 / 3 / 4), 1e-5);
}

TEST(Interval, OneRunHasNone) {
  const std::vector<double> values{7};
  EXPECT_EQ(estimate_of(values).value, 7);
  EXPECT_FALSE(estimate_of(values).has_interval());
}

TEST(Interval, RunsWithoutAValueDoNotCount) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{1, nan, 3};
  EXPECT_EQ(estimate_of(values).value, 2);
  EXPECT_EQ(estimate_of(values).runs, 2u);
  EXPECT_TRUE(std::isnan(estimate_of(std::vector<double>{nan}).value));
}

TEST(Interval, QuantilesAreLinearBetweenNeighbours) {
  const std::vector<double> values{10, 20, 40};
  EXPECT_EQ(quantile_of(values, 0), 10);
  EXPECT_EQ(quantile_of(values, 0.5), 20);
  EXPECT_EQ(quantile_of(values, 0.75), 30);
  EXPECT_EQ(quantile_of(values, 1), 40);
  EXPECT_TRUE(std::isnan(quantile_of({}, 0.5)));
}

}  // namespace
}  // namespace ontime::lab
