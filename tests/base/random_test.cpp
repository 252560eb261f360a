#include "common/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/base/distribution.h"
#include "common/base/portable_math.h"
#include "common/base/units.h"

namespace ontime {
namespace {

// Of the lab, whose numbers never change.
enum class Purpose : std::uint8_t { Launch = 5, Duration = 6, Test = 100 };

TEST(Elementary, AgreesWithTheCLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 3.7) EXPECT_NEAR(natural_log(x) / std::log(x), 1, 2e-15) << x;
  for (double x = -690; x < 700; x += 0.37) EXPECT_NEAR(exponential(x) / std::exp(x), 1, 4e-15) << x;
  for (double x = 0.5; x < 2; x += 0.01) EXPECT_NEAR(natural_log(x), std::log(x), 1e-15) << x;
  for (double z = -8; z < 30; z += 0.13) {
    EXPECT_NEAR(normal_survival(z) / (0.5 * std::erfc(z / std::sqrt(2.0))), 1, 1e-12) << z;
  }
}

TEST(Elementary, NormalScoreIsTheInverseOfNormalSurvival) {
  for (double s = 1e-16; s < 1; s = s < 0.01 ? s * 1.9 : s + 0.007) {
    EXPECT_NEAR(normal_survival(normal_score(s)) / s, 1, 1e-9) << s;
  }
}

TEST(Elementary, NormalScoresAreTheTables) {
  EXPECT_NEAR(normal_score(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_score(0.025), 1.959963984540054, 1e-9);
  EXPECT_NEAR(normal_score(0.999), -3.090232306167813, 1e-9);
  EXPECT_NEAR(normal_score(1e-9), 5.997807015008182, 1e-7);
}

TEST(Random, GivesTheseVeryNumbersOnEveryMachine) {
  Random random(42, Purpose::Duration, 1, 2, 3);
  EXPECT_EQ(random.next(), 4316240492073405441u);
  Random duration(42, Purpose::Duration);
  EXPECT_EQ(Distribution::pareto(10, 1.5).sample(duration), 0x1.721d6c898d21cp+3);
  Random again(42, Purpose::Duration);
  EXPECT_EQ(Distribution::lognormal(10, 0.7).sample(again), 0x1.5f94b171dd82p+2);
}

TEST(Random, StreamsWithDifferentNamesDiffer) {
  Random a(1, Purpose::Launch, 0, 1);
  Random b(1, Purpose::Launch, 1, 0);
  Random c(1, Purpose::Duration, 0, 1);
  Random d(2, Purpose::Launch, 0, 1);
  const std::uint64_t first = a.next();
  EXPECT_NE(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, d.next());
}

// The mean of many draws, and the share above the median.
void expect_moments(const Distribution& distribution, double tolerance) {
  Random random(7, Purpose::Test);
  constexpr int kDraws = 200'000;
  double sum = 0;
  int above = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = distribution.sample(random);
    EXPECT_GE(value, distribution.least());
    sum += value;
    above += value > distribution.median() ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws / distribution.mean(), 1, tolerance) << distribution.mean();
  EXPECT_NEAR(static_cast<double>(above) / kDraws, 0.5, 0.005) << distribution.mean();
}

TEST(Distribution, HasTheMeanAndMedianItSays) {
  expect_moments(Distribution::uniform(2, 6), 0.005);
  expect_moments(Distribution::pareto(10, 3), 0.01);
  expect_moments(Distribution::lognormal(10, 0.5), 0.01);
  expect_moments(Distribution::shifted_exponential(3, 7), 0.01);
  EXPECT_EQ(Distribution::pareto(10, 1).mean(), HUGE_VAL);
  EXPECT_EQ(Distribution::constant(3).median(), 3);
}

TEST(Distribution, GivesEachValueItsShare) {
  const Distribution distribution = Distribution::weighted({{5, 2.5}, {10, 1.5}, {20, 1}});
  EXPECT_EQ(distribution.at_survival(0.51), 5);
  EXPECT_EQ(distribution.at_survival(0.49), 10);
  EXPECT_EQ(distribution.at_survival(0.21), 10);
  EXPECT_EQ(distribution.at_survival(0.19), 20);
  EXPECT_EQ(distribution.at_survival(1e-12), 20);
  EXPECT_EQ(distribution.least(), 5);
  EXPECT_NEAR(distribution.mean(), 9.5, 1e-12);
}

TEST(Distribution, ResamplesWhatItWasGivenInEqualShares) {
  const Distribution distribution = Distribution::empirical({5, 1, 2});
  EXPECT_EQ(distribution.at_survival(0.99), 1);
  EXPECT_EQ(distribution.at_survival(0.5), 2);
  EXPECT_EQ(distribution.at_survival(0.01), 5);
  EXPECT_EQ(distribution.mean(), 8.0 / 3);
  EXPECT_EQ(distribution.least(), 1);
}

const ValueForm kPlain{[](std::string_view text) { return parse_number(text, 0, 100); }, shortest, 1.0};

TEST(Distribution, IsReadOfATextAndWrittenAsOne) {
  const std::pair<const char*, Distribution> forms[] = {{"3", Distribution::constant(3)},
                                                        {"pareto:10:1.5", Distribution::pareto(10, 1.5)},
                                                        {"pareto:1.5", Distribution::pareto(1, 1.5)},
                                                        {"lognormal:2:0.3", Distribution::lognormal(2, 0.3)},
                                                        {"uniform:2:4", Distribution::uniform(2, 4)},
                                                        {"uniform:1:4", Distribution::uniform(1, 4)},
                                                        {"exponential:0:2", Distribution::shifted_exponential(0, 2)},
                                                        {"weibull:4:0.6", Distribution::weibull(4, 0.6)},
                                                        {"gamma:4:2.5", Distribution::gamma(4, 2.5)}};
  for (const auto& [text, distribution] : forms) {
    const auto read = parse_distribution(text, kPlain);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ(*read, distribution) << text;
    EXPECT_EQ(text_of(distribution, kPlain), text);
  }
}

TEST(Distribution, RefusesTextsOfNoDistribution) {
  for (const char* text : {"", "x", "101", "pareto", "pareto:", "pareto:0:1.5", "pareto:1:0", "pareto:1:nan", "pareto:1:2:3",
                           "lognormal:1:-1", "lognormal:1:inf", "uniform:4", "uniform:4:2", "exponential:2:2",
                           "weibull:1:0.1", "gamma:0:1", "gamma:1:101", "uniform:1:101"}) {
    EXPECT_FALSE(parse_distribution(text, kPlain)) << text;
  }
}

TEST(Distribution, ListedValuesKeepTheirOrder) {
  const Distribution distribution = Distribution::listed({5, 1, 2});
  EXPECT_EQ(distribution.at_survival(0.99), 5);
  EXPECT_EQ(distribution.at_survival(0.5), 1);
  EXPECT_EQ(distribution.least(), 1);
  EXPECT_NE(distribution, Distribution::empirical({5, 1, 2}));
  EXPECT_EQ(distribution, Distribution::listed({5, 1, 2}));
}

}  // namespace
}  // namespace ontime
