// Weibull, gamma and histograms, against SciPy and closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "common/base/distribution.h"
#include "common/base/portable_gamma.h"

namespace ontime {
namespace {

TEST(Gamma, AgreesWithTheCLibrary) {
  for (double x = 0.01; x < 1000; x *= 1.07) {
    EXPECT_NEAR(ln_gamma(x), std::lgamma(x), 4e-14 * std::max(1.0, std::abs(std::lgamma(x)))) << x;
  }
}

// scipy.stats.gamma.isf(s, shape) of SciPy 1.10.1.
TEST(Gamma, QuantilesAreThoseOfSciPy) {
  const struct {
    double shape, s, x;
  } kTable[] = {{0.2, 0.999999, 6.5254808443954746e-31}, {0.2, 0.9, 6.5255163286196948e-06},
                {0.2, 0.5, 0.020746339192824859},        {0.2, 0.01, 2.2023048669019398},
                {0.2, 1e-12, 23.547583300307714},        {0.7, 0.999999, 2.3395393358693763e-09},
                {0.7, 0.9, 0.03314549775443338},         {0.7, 0.5, 0.40742374847644136},
                {0.7, 0.01, 3.875738677240161},          {0.7, 1e-12, 26.377484866001488},
                {2.5, 0.999999, 0.0064480801033228487},  {2.5, 0.9, 0.80515399348116112},
                {2.5, 0.5, 2.1757300955477632},          {2.5, 0.01, 7.5431362346944955},
                {2.5, 1e-12, 32.61931810668392},         {30, 0.999999, 10.710858650774401},
                {30, 0.5, 29.667333138221231},           {30, 1e-12, 85.929509213443836},
                {100, 0.999999, 59.436320698163634},     {100, 0.5, 99.666864919315486},
                {100, 0.01, 124.72256149072081},         {100, 1e-12, 187.24795536356643}};
  for (const auto& [shape, s, x] : kTable) {
    EXPECT_NEAR(gamma_at(shape, s) / x, 1, 1e-11) << shape << " " << s;
    EXPECT_NEAR(gamma_survival(shape, x) / s, 1, 1e-11) << shape << " " << s;
  }
  for (const double s : {1e-15, 1e-3, 0.3, 0.7, 1 - 1e-9}) {
    EXPECT_NEAR(Distribution::gamma(7, 1).at_survival(s) / (-7 * std::log(s)), 1, 1e-12) << "an exponential one";
  }
}

TEST(Gamma, EveryUniformNumberHasAQuantile) {
  for (const double shape : {0.2, 0.5, 0.51, 1.0, 1.7, 99.0}) {
    double before = HUGE_VAL;
    for (double s = 1e-16; s < 1; s = s < 0.01 ? s * 1.7 : s + 0.0031) {
      const double x = gamma_at(shape, s);
      EXPECT_LT(x, before) << shape << " " << s;
      EXPECT_GT(x, 0);
      EXPECT_NEAR(gamma_survival(shape, x) / s, 1, 1e-10) << shape << " " << s;
      before = x;
    }
  }
}

TEST(Weibull, HasTheSurvivalAndMeanOfItsDefinition) {
  for (const double shape : {0.2, 0.6, 1.0, 3.5, 100.0}) {
    const Distribution distribution = Distribution::weibull(4, shape);
    for (const double s : {1e-12, 0.01, 0.5, 0.99}) {
      EXPECT_NEAR(std::exp(-std::pow(distribution.at_survival(s) / 4, shape)) / s, 1, 1e-9) << shape << " " << s;
    }
    EXPECT_NEAR(distribution.mean() / (4 * std::tgamma(1 + 1 / shape)), 1, 1e-12) << shape;
  }
}

// The mean is the integral of the quantiles.
TEST(ShapedDistributions, HaveTheMeanThatTheirQuantilesHave) {
  constexpr int kPoints = 200'000;
  for (const Distribution& distribution :
       {Distribution::weibull(3, 0.8), Distribution::weibull(3, 4), Distribution::gamma(2, 0.6),
        Distribution::gamma(2, 9), Distribution::histogram({{1, 2, 5}, {4, 8, 3}, {8, 9, 0}, {9, 30, 2}})}) {
    double sum = 0;
    for (int i = 0; i < kPoints; ++i) sum += distribution.at_survival((i + 0.5) / kPoints);
    EXPECT_NEAR(sum / kPoints / distribution.mean(), 1, 2e-4) << distribution.mean();
  }
}

TEST(Histogram, IsEvenWithinItsBinsAndEmptyBetweenThem) {
  const Distribution distribution = Distribution::histogram({{0, 1, 0}, {1, 2, 5}, {4, 8, 3}, {8, 9, 0}, {9, 30, 2}});
  EXPECT_EQ(distribution.least(), 1);
  EXPECT_DOUBLE_EQ(distribution.at_survival(0.75), 1.5);
  EXPECT_DOUBLE_EQ(distribution.at_survival(0.5), 2);
  EXPECT_NEAR(distribution.at_survival(0.5 - 1e-12), 4, 1e-9);
  EXPECT_DOUBLE_EQ(distribution.at_survival(0.35), 6);
  EXPECT_NEAR(distribution.at_survival(0.2 - 1e-12), 9, 1e-9);
  EXPECT_DOUBLE_EQ(distribution.at_survival(0.1), 19.5);
  EXPECT_LT(distribution.at_survival(1e-16), 30);
  EXPECT_DOUBLE_EQ(distribution.mean(), 0.5 * 1.5 + 0.3 * 6 + 0.2 * 19.5);
}

}  // namespace
}  // namespace ontime
