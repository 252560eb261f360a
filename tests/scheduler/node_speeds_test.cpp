#include "scheduler/core/node_speeds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace ontime::scheduler {
namespace {

constexpr std::uint32_t kNodes = 138;

// Attempts take a Pareto time; against its median.
double pareto_slowness(std::mt19937_64& random, double beta) {
  const double survival = 1 - std::uniform_real_distribution<double>(0, 1)(random);
  return std::pow(2 * survival, -1 / beta);
}

// Each attempt on a task of its own.
class Fleet {
 public:
  // True if the node is slow by now.
  bool observe(std::uint32_t node, double slowness) {
    speeds_.observe(NodeId{node}, {JobId{1}, task_++}, slowness, {});
    return speeds_.slowness(NodeId{node}).has_value();
  }
  NodeSpeeds& speeds() { return speeds_; }

 private:
  NodeSpeeds speeds_;
  std::uint32_t task_ = 0;
};

// How many of `rounds` attempts on each node leave it called slow.
template <class Draw>
int called_slow(int rounds, std::uint32_t nodes, Draw draw) {
  std::mt19937_64 random(1);
  Fleet fleet;
  int slow = 0;
  for (int i = 0; i < rounds; ++i) {
    for (std::uint32_t node = 1; node <= nodes; ++node) slow += fleet.observe(node, draw(random)) ? 1 : 0;
  }
  return slow;
}

double two_point_slowness(std::mt19937_64& random) {
  const double usual = std::uniform_real_distribution<double>(0.9, 1.1)(random);
  return std::uniform_real_distribution<double>(0, 1)(random) < 0.05 ? 6 * usual : usual;
}

TEST(NodeSpeeds, LuckMakesHardlyANodeSlow) {
  for (const double beta : {1.2, 1.5, 2.0}) {
    const auto draw = [&](std::mt19937_64& random) { return pareto_slowness(random, beta); };
    EXPECT_LT(called_slow(200, kNodes, draw), 14) << beta;  // of 27,600
    EXPECT_LT(called_slow(2000, 3, draw), 6) << beta;       // of 6,000
  }
}

// Every twentieth attempt takes six times as long, wherever it runs.
TEST(NodeSpeeds, StragglersByTaskMakeNoNodeSlow) {
  EXPECT_LT(called_slow(200, kNodes, two_point_slowness), 3);  // of 27,600
  EXPECT_LT(called_slow(2000, 3, two_point_slowness), 10);     // of 6,000
}

TEST(NodeSpeeds, ANodeFiveTimesAsSlowIsFoundInAFewAttempts) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    Fleet fleet;
    int needed = 0;
    for (bool is_found = false; !is_found; ++needed) {
      for (std::uint32_t node = 2; node <= kNodes; ++node) fleet.observe(node, pareto_slowness(random, 1.5));
      is_found = fleet.observe(1, 5 * pareto_slowness(random, 1.5));
    }
    EXPECT_GE(needed, 2);
    EXPECT_LE(needed, 6) << "seed " << seed;
    sum += needed;
  }
  EXPECT_LT(sum / 50, 4.5);
}

TEST(NodeSpeeds, WhereTimesHardlyDifferTwoSlowAttemptsAreEnough) {
  Fleet fleet;
  for (int i = 0; i < 3; ++i) {
    for (std::uint32_t node = 2; node <= kNodes; ++node) fleet.observe(node, 1);
  }
  EXPECT_FALSE(fleet.observe(1, 5));
  EXPECT_TRUE(fleet.observe(1, 5));
  const Slowness slow = *fleet.speeds().slowness(NodeId{1});
  EXPECT_EQ(slow.attempts, 2u);
  EXPECT_NEAR(slow.least, 5, 1e-9);
  EXPECT_NEAR(slow.typical, 5, 1e-9);
  EXPECT_EQ(slow.elsewhere, 3 * (kNodes - 1));
  EXPECT_EQ(slow.as_slow, 0u);
}

// A fifth of the nodes is slow, so slow attempts are not rare.
TEST(NodeSpeeds, ManySlowNodesDoNotHideOneAnother) {
  std::mt19937_64 random(1);
  Fleet fleet;
  std::set<std::uint32_t> found;
  for (int i = 0; i < 20; ++i) {
    for (std::uint32_t node = 1; node <= 30; ++node) {
      const double factor = node <= 6 ? 8 : 1;
      if (fleet.observe(node, factor * std::lognormal_distribution<double>(0, 0.4)(random))) found.insert(node);
    }
  }
  EXPECT_EQ(found.size(), 6u);
  EXPECT_EQ(*found.rbegin(), 6u);
}

// Slow ones say nothing as long as it is not known what the others do.
TEST(NodeSpeeds, WithoutAttemptsElsewhereNoNodeIsSlow) {
  Fleet fleet;
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(fleet.observe(1, 8));
}

TEST(NodeSpeeds, OneFastAttemptExcusesANode) {
  Fleet fleet;
  for (int i = 0; i < 100; ++i) fleet.observe(2, 1);
  for (int i = 0; i < 6; ++i) fleet.observe(1, 8);
  EXPECT_TRUE(fleet.speeds().slowness(NodeId{1}));
  EXPECT_FALSE(fleet.observe(1, 1));
  EXPECT_LT(fleet.speeds().speed(NodeId{1}), 1);
  EXPECT_EQ(fleet.speeds().speed(NodeId{3}), 1);
}

// With 40 nodes, numbered from 100 on, that were as fast as usual.
NodeSpeeds acquainted() {
  NodeSpeeds speeds;
  for (std::uint32_t node = 100; node < 140; ++node) speeds.observe(NodeId{node}, {JobId{2}, node}, 1, {});
  return speeds;
}

TEST(NodeSpeeds, TheSameTaskAgainIsNoFurtherEvidence) {
  NodeSpeeds speeds = acquainted();
  for (int i = 0; i < 8; ++i) speeds.observe(NodeId{1}, {JobId{1}, 7}, 8, {});
  EXPECT_FALSE(speeds.slowness(NodeId{1}));
}

// Do attempts elsewhere do better on the same work? If they do not, it is the task.
TEST(NodeSpeeds, ATaskThatIsSlowElsewhereTooIsNotTheNodesFault) {
  NodeSpeeds speeds = acquainted();
  for (std::uint32_t task = 0; task < 8; ++task) speeds.observe(NodeId{1}, {JobId{1}, task}, 8, {});
  EXPECT_TRUE(speeds.slowness(NodeId{1}));
  for (std::uint32_t task = 0; task < 8; ++task) speeds.observe(NodeId{2 + task}, {JobId{1}, task}, 7, {NodeId{1}});
  EXPECT_FALSE(speeds.slowness(NodeId{1}));
  EXPECT_NEAR(speeds.speed(NodeId{1}), 1, 0.15);
  EXPECT_EQ(speeds.speed(NodeId{2}), 1);
}

TEST(NodeSpeeds, ATaskThatIsFastElsewhereIsTheNodesFault) {
  NodeSpeeds speeds = acquainted();
  for (std::uint32_t task = 0; task < 4; ++task) {
    speeds.observe(NodeId{2 + task}, {JobId{1}, task}, 1, {});
    speeds.observe(NodeId{1}, {JobId{1}, task}, 8, {NodeId{2 + task}});
  }
  EXPECT_TRUE(speeds.slowness(NodeId{1}));
}

TEST(NodeSpeeds, AForgottenNodeBeginsAnew) {
  Fleet fleet;
  fleet.observe(1, 8);
  fleet.observe(1, 8);
  fleet.speeds().forget(NodeId{1});
  EXPECT_EQ(fleet.speeds().speed(NodeId{1}), 1);
  EXPECT_FALSE(fleet.observe(1, 8));
}

}  // namespace
}  // namespace ontime::scheduler
