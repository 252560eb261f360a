// What forecasts once got wrong, each on simulated jobs and at several instants of their lives.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "common/base/median.h"
#include "tests/lab/simulator/calibration_study.h"

namespace ontime::lab {
namespace {

struct Case {
  const char* policy = "none";
  const char* world = "lognormal";
  const char* waves = "3";
  const char* splits = "even";
  const char* jobs = "one";
  const char* durations = "known";
  const char* factor = "1";
};

// Two seeds on each size of cluster.
std::vector<RunForecasts> run(const Case& what) {
  Study study = calibration_study();
  study.every = 1;
  study.seeds = 2;
  keep(study, "world", what.world);
  keep(study, "waves", what.waves);
  keep(study, "splits", what.splits);
  keep(study, "jobs", what.jobs);
  keep(study, "durations", what.durations);
  keep(study, "factor", what.factor);
  const auto runs = forecasts_of(study, what.policy);
  EXPECT_EQ(runs.size(), 8u);
  return runs;
}

// |expected end - end| / end by the share of the life: the median over all jobs.
std::map<double, double> errors_of(const std::vector<RunForecasts>& runs) {
  std::map<double, std::vector<double>> errors;
  for (const RunForecasts& run : runs) {
    for (const JobForecast& job : run.jobs) {
      const double error = std::abs(job.seen.median - job.end) / job.end;
      if (job.of_life && !std::isnan(error)) errors[job.share].push_back(error);
    }
  }
  std::map<double, double> medians;
  for (const auto& [share, all] : errors) medians[share] = median_of(all);
  return medians;
}

// Copies that never get a slot must not make a job sure of its deadline: from three quarters of it on, a job that is
// going to miss it by a tenth is known to be in danger.
TEST(ForecastCases, AJobThatMissesItsDeadlineByFarIsNotSureOfItJustBefore) {
  std::size_t missed = 0;
  for (const char* policy : {"shed+", "s-restart", "split-resume"}) {
    for (const RunForecasts& run : run({.policy = policy, .world = "stragglers", .jobs = "many", .factor = "0.75"})) {
      for (const JobForecast& job : run.jobs) {
        if (job.of_life || job.share < 0.75 || job.end < 1.1 * job.deadline) continue;
        ++missed;
        EXPECT_LT(job.seen.pocd, 0.9) << policy << ", seed " << run.seed << ", job " << job.job << ", at " << job.share
                                      << " of the deadline";
      }
    }
  }
  EXPECT_GT(missed, 40u);
}

TEST(ForecastCases, FourWavesUnderShedPlusAreExpectedByWhatIsSeen) {
  const auto runs = run({.policy = "shed+", .waves = "4"});
  const std::map<double, double> errors = errors_of(runs);
  EXPECT_LT(errors.at(0.1), 0.15);
  EXPECT_LT(errors.at(0.5), 0.08);
  EXPECT_LT(errors.at(0.9), 0.03);
  for (const RunForecasts& run : runs) {
    double before = 0;
    for (const JobForecast& job : run.jobs) {
      if (!job.of_life) continue;
      EXPECT_NE(job.seen.median, before) << "seed " << run.seed << ", at " << job.share;
      before = job.seen.median;
    }
  }
}

TEST(ForecastCases, UnevenSplitsAreExpectedByTheirOwnBytes) {
  for (const char* durations : {"known", "unknown"}) {
    const auto errors = errors_of(run({.splits = "uneven", .durations = durations}));
    EXPECT_LT(errors.at(0.25), 0.15) << durations;
    EXPECT_LT(errors.at(0.5), 0.08) << durations;
    EXPECT_LT(errors.at(0.9), 0.03) << durations;
  }
}

}  // namespace
}  // namespace ontime::lab
