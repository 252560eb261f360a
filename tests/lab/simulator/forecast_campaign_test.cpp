// The worst of docs/research/calibration.md: a small part of its study, the same to the bit each time, so that a
// forecast that has become worse shows.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string_view>

#include "common/base/median.h"
#include "lab/results/interval.h"
#include "scheduler/policies/policy.h"
#include "tests/lab/simulator/calibration_study.h"

namespace ontime::lab {
namespace {

constexpr const char* kStarts = "calibration-starts.yaml";
constexpr std::uint32_t kEvery = 1777;  // about 70 of the points, of all kinds

// What was expected of many jobs at half their lives beside what came true.
struct ForecastTally {
  Calibration pocd;
  std::uint64_t ends = 0;
  std::uint64_t inside = 0;  // low..high
  // Of |expected end - end| / end.
  std::vector<double> errors_of_one_wave;
  std::vector<double> errors_of_more;
};

ForecastTally tally_of_half_lives() {
  Study study = calibration_study();
  study.every = kEvery;
  std::size_t waves = 0;
  while (study.axes[waves].name != "waves") ++waves;
  ForecastTally tally;
  for (const RunForecasts& run : forecasts_of(study)) {
    for (const JobForecast& job : run.jobs) {
      if (!job.of_life || job.share != 0.5) continue;
      tally.pocd.add(job.seen.pocd, job.met);
      if (std::isnan(job.seen.median)) continue;
      ++tally.ends;
      tally.inside += job.seen.low <= job.end && job.end <= job.seen.high ? 1 : 0;
      auto& errors = run.labels[waves] == "1" ? tally.errors_of_one_wave : tally.errors_of_more;
      errors.push_back(std::abs(job.seen.median - job.end) / job.end);
    }
  }
  return tally;
}

TEST(ForecastCampaign, AtHalfALifeTheForecastIsWorthIt) {
  const ForecastTally half = tally_of_half_lives();
  EXPECT_GT(half.pocd.count(), 150u);
  EXPECT_LT(half.pocd.brier() / half.pocd.uncertainty(), 0.5);
  EXPECT_LT(std::abs(half.pocd.bias()), 0.08);
  const double inside = static_cast<double>(half.inside) / static_cast<double>(half.ends);
  EXPECT_GT(inside, 0.7);
  EXPECT_LT(inside, 0.95);
  EXPECT_LT(median_of(half.errors_of_one_wave), 0.05);
  EXPECT_LT(median_of(half.errors_of_more), 0.08);
}

// But for those of other engines, whose forecasts nobody has measured.
void expect_every_policy_in(const Study& study) {
  const std::set<std::string_view> unmeasured{"grass", "spark", "flink", "skewtune", "dataflow", "ytsaurus"};
  EXPECT_EQ(study.policies.size() + unmeasured.size(), scheduler::policies().size());
  for (const auto& policy : scheduler::policies()) {
    if (unmeasured.contains(policy.name)) continue;
    EXPECT_TRUE(std::any_of(study.policies.begin(), study.policies.end(), [&](const Contender& one) {
      return one.run == policy.name;
    })) << policy.name;
  }
}

TEST(ForecastCampaign, EveryPolicyAndEveryCombinationIsThere) {
  const Study study = calibration_study();
  expect_every_policy_in(study);
  EXPECT_EQ(places_of(study).size(), 2u * 6 * 8 * 2 * 2 * 4 * 5);
  const Study starts = calibration_study(kStarts);
  expect_every_policy_in(starts);
  EXPECT_EQ(places_of(starts).size(), 4u * 2 * 3 * 4 * 3 * 2 * 3);
}

// One wave of tasks without copies, and without deadlines: each start of a segment shows in the jobs' times.
TEST(ForecastCampaign, StartsOfATenthAHalfAndOneAndAHalfSplitsLengthenJobs) {
  Study study = calibration_study(kStarts);
  study.every = 1;
  keep(study, "start of", "segment");
  keep(study, "reads ahead", "nothing");
  keep(study, "world", "lognormal");
  keep(study, "waves", "1");
  keep(study, "durations", "unknown");
  keep(study, "factor", "none");
  std::vector<double> ends;
  for (const RunForecasts& run : forecasts_of(study, "hadoop")) ends.push_back(run.jobs.at(0).end);
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_GT(ends[1] - ends[0], 0.5);
  EXPECT_NEAR(ends[2] - ends[0], 10, 5);
  EXPECT_NEAR(ends[3] - ends[0], 30, 8);
}

}  // namespace
}  // namespace ontime::lab
