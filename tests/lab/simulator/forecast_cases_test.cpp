// What forecasts once got wrong, each on simulated jobs and at several instants of their lives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/campaigns/forecast.h"

namespace ontime::lab {
namespace {

constexpr std::uint64_t kSeeds = 8;

// Runs the case under several seeds.
std::vector<ForecastTrial> run(ForecastCase what, double deadline, ReadingOf of) {
  ForecastTrials trials({}, of);
  std::vector<ForecastTrial> all;
  for (what.seed = 1; what.seed <= kSeeds; ++what.seed) all.push_back(trials.run(what, deadline));
  return all;
}

// |expected end - end| / end at each share of the life: the median over all jobs.
std::vector<double> errors_of(const std::vector<ForecastTrial>& trials) {
  std::vector<double> medians;
  for (std::size_t reading = 0; reading < forecast_shares().size(); ++reading) {
    std::vector<double> errors;
    for (const ForecastTrial& trial : trials) {
      for (const JobOutcome& job : trial.jobs) {
        const double end = job.forecasts.at(reading).median;
        if (!std::isnan(end)) errors.push_back(std::abs(end - job.flow_time()) / job.flow_time());
      }
    }
    std::sort(errors.begin(), errors.end());
    medians.push_back(errors.at(errors.size() / 2));
  }
  return medians;
}

// Copies that never get a slot must not make a job sure of its deadline: from three quarters of it on, a job that is
// going to miss it by a tenth is known to be in danger.
TEST(ForecastCases, AJobThatMissesItsDeadlineByFarIsNotSureOfItJustBefore) {
  std::size_t missed = 0;
  for (const char* policy : {"shed+", "s-restart", "split-resume"}) {
    const ForecastCase what{.policy = policy, .world = "stragglers", .waves = 3, .many = true, .deadlines = {}};
    for (const ForecastTrial& trial : run(what, 0.75, ReadingOf::Deadline)) {
      for (const JobOutcome& job : trial.jobs) {
        if (job.flow_time() < 1.1 * job.deadline) continue;
        ++missed;
        for (std::size_t i = 3; i < job.forecasts.size(); ++i) {
          EXPECT_LT(job.forecasts[i].pocd, 0.9) << policy << ", seed " << trial.what.seed << ", job " << job.group
                                                << ", at " << forecast_shares()[i] << " of the deadline";
        }
      }
    }
  }
  EXPECT_GT(missed, 20u);
}

TEST(ForecastCases, FourWavesUnderShedPlusAreExpectedByWhatIsSeen) {
  const auto trials = run({.policy = "shed+", .waves = 4, .deadlines = {}}, 1, ReadingOf::Life);
  const std::vector<double> errors = errors_of(trials);
  EXPECT_LT(errors[0], 0.15);
  EXPECT_LT(errors[2], 0.08);
  EXPECT_LT(errors[4], 0.03);
  for (const ForecastTrial& trial : trials) {
    const auto& readings = trial.jobs.front().forecasts;
    for (std::size_t i = 1; i < readings.size(); ++i) EXPECT_NE(readings[i].median, readings[i - 1].median);
  }
}

TEST(ForecastCases, UnevenSplitsAreExpectedByTheirOwnBytes) {
  for (const bool known : {true, false}) {
    const std::vector<double> errors =
        errors_of(run({.waves = 3, .even = false, .known = known, .deadlines = {}}, 1, ReadingOf::Life));
    EXPECT_LT(errors[1], 0.15) << known;
    EXPECT_LT(errors[2], 0.08) << known;
    EXPECT_LT(errors[4], 0.03) << known;
  }
}

}  // namespace
}  // namespace ontime::lab
