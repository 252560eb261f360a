#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/experiment/summary.h"

namespace ontime::lab::experiment {
namespace {

using Json = nlohmann::ordered_json;
using lab::Estimate;

// The counted jobs of one policy.
struct Sample {
  std::uint64_t jobs = 0;
  std::uint64_t met = 0;
  std::vector<double> times;
  std::vector<double> machine;
};

Sample sample_of(const std::vector<JobRow>& rows, const std::string& policy) {
  Sample sample;
  for (const JobRow& row : rows) {
    if (!row.is_counted() || row.policy != policy) continue;
    ++sample.jobs;
    sample.met += row.met ? 1 : 0;
    if (!row.has_ended()) continue;
    sample.times.push_back(row.time);
    sample.machine.push_back(row.machine);
  }
  return sample;
}

// Squared standard error of the mean.
double squared_error(const std::vector<double>& values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto n = static_cast<double>(values.size());
  return squares / (n - 1) / n;
}

Json json_of(const Difference& difference) {
  return {{"before", difference.before.value},     {"after", difference.after.value},
          {"change", difference.change.value},     {"change_low", difference.change.low},
          {"change_high", difference.change.high}, {"is_clear", difference.is_clear()}};
}

}  // namespace

Difference difference_of_shares(std::uint64_t met_before, std::uint64_t jobs_before, std::uint64_t met_after,
                                std::uint64_t jobs_after) {
  const Estimate a = share_of(met_before, jobs_before);
  const Estimate b = share_of(met_after, jobs_after);
  if (jobs_before == 0 || jobs_after == 0) return {a, b, {kNan, kNan, kNan, 0}};
  const double change = b.value - a.value;
  const double down = std::hypot(b.value - b.low, a.high - a.value);
  const double up = std::hypot(b.high - b.value, a.value - a.low);
  return {a, b, {change, change - down, change + up, static_cast<std::size_t>(jobs_before + jobs_after)}};
}

Difference difference_of_means(const std::vector<double>& before, const std::vector<double>& after) {
  const Estimate a = lab::estimate_of(before);
  const Estimate b = lab::estimate_of(after);
  Difference difference{a, b, {b.value - a.value, kNan, kNan, before.size() + after.size()}};
  if (before.size() < 2 || after.size() < 2) return difference;
  const double error_a = squared_error(before, a.value);
  const double error_b = squared_error(after, b.value);
  const double error = error_a + error_b;
  double margin = 0;
  if (error > 0) {
    const double degrees = error * error /
                           (error_a * error_a / static_cast<double>(before.size() - 1) +
                            error_b * error_b / static_cast<double>(after.size() - 1));
    margin = lab::student_t(static_cast<std::size_t>(std::max(1.0, degrees))) * std::sqrt(error);
  }
  difference.change.low = difference.change.value - margin;
  difference.change.high = difference.change.value + margin;
  return difference;
}

std::vector<Comparison> compare(const std::vector<JobRow>& before, const std::vector<JobRow>& after) {
  std::vector<Comparison> all;
  for (const JobRow& row : before) {
    const auto is_it = [&](const auto& thing) { return thing.policy == row.policy; };
    if (!row.is_counted() || std::any_of(all.begin(), all.end(), is_it)) continue;
    if (std::none_of(after.begin(), after.end(), is_it)) continue;
    const Sample a = sample_of(before, row.policy);
    const Sample b = sample_of(after, row.policy);
    all.push_back({row.policy, difference_of_shares(a.met, a.jobs, b.met, b.jobs),
                   difference_of_means(a.times, b.times), difference_of_means(a.machine, b.machine)});
  }
  return all;
}

std::string comparison_json(const std::vector<Comparison>& all) {
  Json list = Json::array();
  for (const Comparison& comparison : all) {
    list.push_back({{"policy", comparison.policy},
                    {"pocd", json_of(comparison.pocd)},
                    {"time_s", json_of(comparison.time)},
                    {"machine_s", json_of(comparison.machine)}});
  }
  return json_text({{"policies", list}});
}

}  // namespace ontime::lab::experiment
