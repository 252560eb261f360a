// The worst of docs/calibration.md: a small part of the campaign, the same to the bit each time, so that a forecast that
// has become worse shows.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/campaigns/forecast_tally.h"
#include "lab/campaigns/forecast_trial.h"

namespace ontime::lab {
namespace {

// Real stages are not read here: a lognormal one stands for them.
std::vector<Stage> one_stage() {
  Stage stage{"like-real", {}, 20};
  for (int i = 0; i < 40; ++i) stage.durations.push_back(20 * std::exp(0.5 * std::sin(i)));
  return {stage};
}

ForecastTally tally(double share) {
  const std::vector<Stage> stages = one_stage();
  ForecastTrials trials(stages);
  ForecastTally tally(share);
  ForecastPlan plan;
  plan.first_seed = 21;
  plan.every = 89;
  for (const PlannedCase& planned : forecast_cases(plan)) tally.add(trials.run(planned.what, planned.deadline));
  return tally;
}

TEST(ForecastCampaign, AtHalfALifeTheForecastIsWorthIt) {
  const ForecastTally half = tally(0.5);
  EXPECT_GT(half.pocd().count(), 150u);
  EXPECT_LT(half.brier_ratio(), 0.5);
  EXPECT_GT(half.inside(), 0.7);
  EXPECT_LT(half.inside(), 0.95);
  EXPECT_LT(std::abs(half.pocd().bias()), 0.08);
  EXPECT_LT(half.median_error_of_one_wave(), 0.05);
  EXPECT_LT(half.median_error_of_more(), 0.08);
}

TEST(ForecastCampaign, EveryCombinationIsThere) {
  const std::vector<PlannedCase> all = forecast_cases({});
  EXPECT_EQ(all.size(), forecast_worlds().size() * 8 * 8 * 16);
}

}  // namespace
}  // namespace ontime::lab
