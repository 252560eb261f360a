#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "common/injection/injection.h"

namespace ontime::injection {
namespace {

constexpr int kDraws = 200'000;

std::vector<double> sorted_draws(const Distribution& distribution) {
  std::vector<double> draws;
  for (std::uint64_t i = 0; i < kDraws; ++i) draws.push_back(quantile(distribution, uniform(hash({42, i}))));
  std::sort(draws.begin(), draws.end());
  return draws;
}

double at(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size()))];
}

// What a seed means must never change: experiments are repeated by it.
TEST(Chance, HashesAreTheSameForever) {
  EXPECT_EQ(hash({}), 0x9E3779B97F4A7C15u);
  EXPECT_EQ(hash({1, 2, 3}), 0xA2C7AE98F4AD087Au);
  EXPECT_EQ(hash("worker-1"), 0x80868F4F2D30C3C7u);
}

TEST(Chance, KeysThatDifferInAnythingHaveOtherHashes) {
  const std::set<std::uint64_t> hashes{hash({1}), hash({1, 0}), hash({0, 1}), hash({0}),  hash({2}),  hash({}),
                                       hash("a"), hash(""),     hash("a\0a"), hash("aa"), hash("ab"), hash("ba")};
  EXPECT_EQ(hashes.size(), 12u - 1u);  // the literal with a NUL ends there, as "a" does
}

TEST(Chance, UniformFillsItsIntervalEvenly) {
  std::vector<double> draws;
  for (std::uint64_t i = 0; i < kDraws; ++i) draws.push_back(uniform(hash({7, i})));
  std::sort(draws.begin(), draws.end());
  EXPECT_GE(draws.front(), 0);
  EXPECT_LT(draws.back(), 1);
  double distance = 0;  // Kolmogorov-Smirnov
  for (std::size_t i = 0; i < draws.size(); ++i) {
    distance = std::max(distance, std::abs(draws[i] - static_cast<double>(i) / kDraws));
  }
  EXPECT_LT(distance, 1.63 / std::sqrt(kDraws));  // one seed in a hundred would not do
  EXPECT_EQ(uniform(~std::uint64_t{0}), 1 - 0x1p-53);
}

TEST(Chance, ParetoDrawsHaveItsQuantiles) {
  const auto draws = sorted_draws(Distribution::pareto(2, 1.5));
  EXPECT_GE(draws.front(), 2);
  for (const double share : {0.1, 0.5, 0.9, 0.99}) {
    EXPECT_NEAR(at(draws, share) / (2 * std::pow(1 - share, -1 / 1.5)), 1, 0.03) << share;
  }
}

TEST(Chance, LognormalDrawsHaveItsQuantiles) {
  const auto draws = sorted_draws(Distribution::lognormal(3, 0.5));
  EXPECT_NEAR(at(draws, 0.5) / 3, 1, 0.01);
  EXPECT_NEAR(at(draws, 0.975) / (3 * std::exp(0.5 * 1.959964)), 1, 0.02);
  EXPECT_NEAR(at(draws, 0.025) / (3 * std::exp(-0.5 * 1.959964)), 1, 0.02);
}

TEST(Chance, TraceDrawsEachLineEquallyOften) {
  const auto draws = sorted_draws(Distribution::listed({1, 2, 5, 2}));
  const auto count = [&](double value) { return static_cast<double>(std::count(draws.begin(), draws.end(), value)); };
  EXPECT_NEAR(count(1), kDraws * 0.25, kDraws * 0.01);
  EXPECT_NEAR(count(2), kDraws * 0.5, kDraws * 0.01);
  EXPECT_NEAR(count(5), kDraws * 0.25, kDraws * 0.01);
}

TEST(Chance, DrawsAreBoundedAndRounded) {
  EXPECT_EQ(quantile(Distribution::pareto(1, 0.1), 1 - 0x1p-53), kFactorMax);
  EXPECT_EQ(quantile(Distribution::pareto(1, 1), 2.0 / 3), 3);
  EXPECT_EQ(quantile(Distribution::lognormal(1, 10), 0), 0);  // below a millionth
  EXPECT_EQ(quantile(Distribution::constant(2.5), 0.7), 2.5);
}

RC_GTEST_PROP(Chance, ShufflingIsAPermutation, ()) {
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 300);
  const auto key = *rc::gen::arbitrary<std::uint64_t>();
  std::set<std::uint64_t> places;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t place = shuffled(i, count, key);
    RC_ASSERT(place < count);
    places.insert(place);
  }
  RC_ASSERT(places.size() == count);
}

TEST(Chance, EveryPlaceOfAShuffleIsEquallyLikely) {
  constexpr int kCount = 10;
  int times[kCount][kCount] = {};
  for (std::uint64_t key = 0; key < 20'000; ++key) {
    for (std::uint64_t i = 0; i < kCount; ++i) ++times[i][shuffled(i, kCount, hash({key}))];
  }
  for (const auto& row : times) {
    for (const int n : row) EXPECT_NEAR(n, 2000, 250);
  }
}

}  // namespace
}  // namespace ontime::injection
