#include "scheduler/node_speeds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace ontime::scheduler {
namespace {

constexpr std::uint32_t kNodes = 138;

// Attempts take a Pareto time; against its median.
double pareto_slowness(std::mt19937_64& random, double beta) {
  const double survival = 1 - std::uniform_real_distribution<double>(0, 1)(random);
  return std::pow(2 * survival, -1 / beta);
}

TEST(NodeSpeeds, LuckMakesHardlyANodeSlow) {
  for (const double beta : {1.2, 1.5, 2.0}) {
    std::mt19937_64 random(1);
    NodeSpeeds speeds;
    int slow = 0;
    int twice = 0;
    for (int i = 0; i < 200; ++i) {
      for (std::uint32_t node = 1; node <= kNodes; ++node) {
        const double slowness = pareto_slowness(random, beta);
        twice += slowness >= NodeSpeeds::kSlow ? 1 : 0;
        if (!speeds.observe(NodeId{node}, slowness)) continue;
        speeds.put_on_probation(NodeId{node});
        ++slow;
      }
    }
    EXPECT_GT(twice, 2000) << beta;
    EXPECT_LT(slow, 27) << beta;  // of 27,600
  }
}

TEST(NodeSpeeds, ANodeFiveTimesAsSlowIsFoundInAFewAttempts) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    NodeSpeeds speeds;
    int needed = 0;
    for (bool is_found = false; !is_found; ++needed) {
      for (std::uint32_t node = 2; node <= kNodes; ++node) speeds.observe(NodeId{node}, pareto_slowness(random, 1.5));
      is_found = speeds.observe(NodeId{1}, 5 * pareto_slowness(random, 1.5));
    }
    EXPECT_GE(needed, 2);
    EXPECT_LE(needed, 6) << "seed " << seed;
  }
}

// A fifth of the nodes is slow, so the spread is wide.
TEST(NodeSpeeds, ManySlowNodesDoNotHideOneAnother) {
  std::mt19937_64 random(1);
  NodeSpeeds speeds;
  std::set<std::uint32_t> found;
  for (int i = 0; i < 20; ++i) {
    for (std::uint32_t node = 1; node <= 30; ++node) {
      const double factor = node <= 6 ? 8 : 1;
      if (speeds.observe(NodeId{node}, factor * std::lognormal_distribution<double>(0, 0.4)(random)))
        found.insert(node);
    }
  }
  EXPECT_EQ(found.size(), 6u);
  EXPECT_EQ(*found.rbegin(), 6u);
}

TEST(NodeSpeeds, FastAttemptsMakeUpForSlowOnes) {
  NodeSpeeds speeds;
  for (int i = 0; i < 100; ++i) speeds.observe(NodeId{2}, 1);
  EXPECT_FALSE(speeds.observe(NodeId{1}, 1));
  EXPECT_FALSE(speeds.observe(NodeId{1}, 3));
  EXPECT_FALSE(speeds.observe(NodeId{1}, 1));
  EXPECT_LT(speeds.speed(NodeId{1}), 1);
  EXPECT_EQ(speeds.speed(NodeId{3}), 1);
}

TEST(NodeSpeeds, AForgottenNodeBeginsAnew) {
  NodeSpeeds speeds;
  speeds.observe(NodeId{1}, 8);
  speeds.forget(NodeId{1});
  EXPECT_EQ(speeds.speed(NodeId{1}), 1);
  EXPECT_FALSE(speeds.observe(NodeId{1}, 8));
}

}  // namespace
}  // namespace ontime::scheduler
