#include <gtest/gtest.h>

#include <cmath>

#include "lab/experiment/summary.h"

namespace ontime::lab::experiment {
namespace {

// Newcombe (1998), method 10: 56/70 against 48/80.
TEST(ExperimentCompare, SharesDifferByNewcombesInterval) {
  const Difference difference = difference_of_shares(48, 80, 56, 70);
  EXPECT_NEAR(difference.change.value, 0.2, 1e-9);
  EXPECT_NEAR(difference.change.low, 0.0524, 1e-4);
  EXPECT_NEAR(difference.change.high, 0.3339, 1e-4);
  EXPECT_TRUE(difference.is_clear());
  EXPECT_FALSE(difference_of_shares(5, 10, 6, 10).is_clear());
  EXPECT_FALSE(difference_of_shares(0, 0, 6, 10).change.has_interval());
}

TEST(ExperimentCompare, MeansDifferByWelchsInterval) {
  // Variances 2.5 and 10, five each: t = 3 / sqrt(2.5) with 5.88 degrees of freedom, counted as 5.
  const Difference difference = difference_of_means({1, 2, 3, 4, 5}, {2, 4, 6, 8, 10});
  EXPECT_NEAR(difference.change.value, 3, 1e-9);
  EXPECT_NEAR(difference.change.margin(), 2.570582 * std::sqrt(2.5), 1e-5);
  EXPECT_FALSE(difference.is_clear());
  EXPECT_FALSE(difference_of_means({1}, {2, 3}).change.has_interval());
}

TEST(ExperimentCompare, OnlyPoliciesThatBothHaveAndCountedJobs) {
  JobRow a;
  a.policy = "none";
  a.kind = "counted";
  a.state = "succeeded";
  a.time = 4;
  JobRow noise = a;
  noise.kind = "noise";
  JobRow other = a;
  other.policy = "hadoop";
  const auto all = compare({a, a, noise, other}, {a, noise});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].policy, "none");
  EXPECT_EQ(all[0].pocd.before.runs, 2u);
  EXPECT_EQ(all[0].time.change.value, 0);
  EXPECT_NE(comparison_json(all).find("\"change_low\""), std::string::npos);
}

}  // namespace
}  // namespace ontime::lab::experiment
