// The worst of docs/calibration.md: a small part of the campaign, the same to the bit each time, so that a forecast that
// has become worse shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/base/median.h"
#include "lab/campaigns/forecast.h"
#include "lab/results/interval.h"

namespace ontime::lab {
namespace {

// What was expected of many jobs beside what came true.
class ForecastTally {
 public:
  // The reading at that share of each job's life.
  explicit ForecastTally(double share) : share_(share) {}

  void add(const ForecastTrial& trial);

  const Calibration& pocd() const { return pocd_; }
  // Brier score over the score of always saying the base rate.
  double brier_ratio() const { return pocd_.brier() / pocd_.uncertainty(); }
  double inside() const;  // share of ends within low..high
  // Of |expected end - end| / end.
  double median_error_of_one_wave() const { return median(errors_of_one_wave_); }
  double median_error_of_more() const { return median(errors_of_more_); }

 private:
  static double median(std::vector<double> values);

  double share_;
  Calibration pocd_;
  std::uint64_t ends_ = 0;
  std::uint64_t inside_ = 0;
  std::vector<double> errors_of_one_wave_;
  std::vector<double> errors_of_more_;
};

void ForecastTally::add(const ForecastTrial& trial) {
  const auto shares = forecast_shares();
  const auto reading = static_cast<std::size_t>(std::find(shares.begin(), shares.end(), share_) - shares.begin());
  for (const JobOutcome& job : trial.jobs) {
    if (job.forecasts.size() <= reading) continue;
    const ForecastReading& seen = job.forecasts[reading];
    pocd_.add(seen.pocd, job.met());
    if (std::isnan(seen.median)) continue;
    ++ends_;
    inside_ += seen.low <= job.flow_time() && job.flow_time() <= seen.high ? 1 : 0;
    std::vector<double>& errors = trial.what.waves == 1 ? errors_of_one_wave_ : errors_of_more_;
    errors.push_back(std::abs(seen.median - job.flow_time()) / job.flow_time());
  }
}

double ForecastTally::inside() const { return static_cast<double>(inside_) / static_cast<double>(ends_); }

double ForecastTally::median(std::vector<double> values) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : median_of(std::move(values));
}

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
