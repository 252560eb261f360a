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

// z^2 / (n + z^2), and (n - z^2) / (n + z^2): the equations of the score, solved by hand.
TEST(Interval, PairsThatAllAgreeHaveADifferenceOfSomeWidth) {
  const double square = 1.959963984540054 * 1.959963984540054;
  const Estimate none = paired_difference_of(0, 0, 40);
  EXPECT_EQ(none.value, 0);
  EXPECT_NEAR(none.high, square / (40 + square), 1e-9);
  EXPECT_NEAR(none.low, -none.high, 1e-9);
  const Estimate all = paired_difference_of(40, 0, 40);
  EXPECT_EQ(all.value, 1);
  EXPECT_EQ(all.high, 1);
  EXPECT_NEAR(all.low, (40 - square) / (40 + square), 1e-9);
  EXPECT_NEAR(paired_difference_of(0, 40, 40).high, -all.low, 1e-9);
  EXPECT_FALSE(paired_difference_of(0, 0, 0).has_interval());
}

// Over all outcomes of 30 pairs, by their probabilities.
TEST(Interval, PairedDifferencesHoldTheTrueOneNineteenTimesInTwenty) {
  constexpr int kPairs = 30;
  for (const auto& [gain, loss] : {std::pair{0.3, 0.1}, {0.2, 0.2}, {0.6, 0.02}, {0.05, 0.4}, {0.1, 0.02}}) {
    double held = 0;
    for (int gained = 0; gained <= kPairs; ++gained) {
      for (int lost = 0; gained + lost <= kPairs; ++lost) {
        const int same = kPairs - gained - lost;
        const double ln = std::lgamma(kPairs + 1) - std::lgamma(gained + 1) - std::lgamma(lost + 1) -
                          std::lgamma(same + 1) + gained * std::log(gain) + lost * std::log(loss) +
                          same * std::log(1 - gain - loss);
        const Estimate seen = paired_difference_of(static_cast<unsigned>(gained), static_cast<unsigned>(lost), kPairs);
        if (seen.low <= gain - loss && gain - loss <= seen.high) held += std::exp(ln);
      }
    }
    EXPECT_GT(held, 0.93) << gain << ' ' << loss;
    EXPECT_LT(held, 0.985) << gain << ' ' << loss;
  }
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
