// Hadoop's estimators and statistics against the golden files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scheduler/core/outlook.h"
#include "scheduler/math/estimator.h"
#include "scheduler/policies/baselines/baselines.h"
#include "tests/golden/golden_file.h"

namespace ontime::golden {
namespace {

using namespace scheduler::math;  // NOLINT: the formulas under test

// LegacyTaskRuntimeEstimator: elapsed time over progress, of which it takes 1e-4 for granted; -1 for unknown.
double legacy_runtime(double start, double now, double progress) {
  return start <= 0 || now <= start ? -1 : (now - start) / std::max(1e-4, progress);
}

TEST(GoldenHadoop, LegacyRuntime) {
  const auto rows = csv("hadoop_legacy.csv");
  Checker check("hadoop_legacy.csv", rows.size());
  for (const Row& row : rows) {
    const double runtime = legacy_runtime(row["start_ms"], row["now_ms"], row["progress"]);
    check.near(row, "runtime_real_ms", runtime, 1e-12);
    check.near(row, "runtime_trunc_ms", std::trunc(runtime), 1e-12);
    if (runtime < 0 || row["progress"] < 1e-4) continue;
    // What the outlook expects with `--estimator hadoop`.
    const double rate = row["progress"] / (row["now_ms"] - row["start_ms"]);
    check.near(row, "runtime_real_ms", scheduler::Pace{0, 0, rate, true}.reaches(1), 1e-12);
  }
}

TEST(GoldenHadoop, Statistics) {
  const auto rows = json_lines("hadoop_stats.jsonl");
  Checker check("hadoop_stats.jsonl", rows.size());
  for (const auto& row : rows) {
    scheduler::DurationStatistics statistics;
    for (const auto& duration : row["input"]["durations_ms"]) statistics.add(duration.get<double>());
    const auto& expected = row["expected"];
    const std::string place = row["input"]["id"];
    const auto near = [&](const char* name, double actual) {
      check.near(place, name, number(expected[name]), actual, 1e-10);
    };
    near("mean", statistics.mean());
    near("std", statistics.deviation());
    near("outlier", statistics.outlier(number(row["input"]["sigma"])));
    // Of a single duration Hadoop's class makes 0.
    near("meanCI", statistics.count() > 1 ? statistics.mean_bound() : 0);
    near("new_attempt", statistics.count() > 1 ? statistics.new_attempt() : 0);
  }
}

void check_smoothing(Checker& check, const nlohmann::json& row, const std::string& place) {
  const auto& input = row["input"];
  const double start = number(input["start_ms"]);
  const SmoothingSettings settings{number(input["lambda_ms"]), input["skip"].get<unsigned>()};
  SimpleExponentialEstimator fixed(start, settings);
  Reading last{start, 0};
  ASSERT_EQ(input["readings"].size(), row["expected"].size()) << place;
  for (std::size_t i = 0; i < input["readings"].size(); ++i) {
    const Reading reading{number(input["readings"][i][0]), number(input["readings"][i][1])};
    fixed.observe(reading);
    if (fixed.readings() > 0 && (reading.time > last.time || reading.progress > last.progress)) last = reading;
    const auto& expected = row["expected"][i];
    const std::string at = place + " reading " + std::to_string(i);
    EXPECT_EQ(fixed.readings(), expected["index"].get<unsigned>()) << at;
    check.near(at, "smoothed_rate_per_ms", number(expected["smoothed_rate_per_ms"]), fixed.smoothed_rate(), 1e-10);
    const double forecast = number(expected["forecast"]);
    check.near(at, "forecast", forecast, fixed.forecast().value_or(-1), 1e-10);
    // Hadoop counts whole milliseconds; a remaining time next to a whole number may be cut to either side of it.
    const double runtime = number(expected["est_runtime_ms"]);
    const double written = last.time + (1 - last.progress) / std::max(1e-10, fixed.forecast().value_or(-1)) - start;
    EXPECT_GT(written, runtime - 1e-6 - 1e-10 * runtime) << at;
    EXPECT_LT(written, runtime + 1 + 1e-6 + 1e-10 * runtime) << at;
    EXPECT_EQ(fixed.completion().has_value(), forecast >= 0) << at;
  }
}

TEST(GoldenHadoop, SimpleExponentialSmoothing) {
  const auto rows = json_lines("hadoop_ses.jsonl");
  Checker check("hadoop_ses.jsonl", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_smoothing(check, rows[i], "hadoop_ses.jsonl:" + std::to_string(i + 1));
  }
}

TEST(GoldenHadoop, PosterRecursion) {
  const auto rows = csv("ses_poster.csv");
  Checker check("ses_poster.csv", rows.size());
  double smoothed = 0;
  for (const Row& row : rows) {
    smoothed = row["k"] == 0 ? row["X"] : smooth(row["alpha"], row["X"], smoothed);
    check.near(row, "S", smoothed, 1e-12);
  }
}

}  // namespace
}  // namespace ontime::golden
