#include "lab/results/interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "common/base/check.h"
#include "lab/results/writing.h"

namespace ontime::lab {
namespace {

constexpr double kZ95 = 1.959963984540054;  // the 97.5 % quantile of the standard normal

double ratio(double sum, std::uint64_t count) {
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double student_t(std::size_t degrees) {
  static constexpr std::array<double, 10> kFew{12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
                                               2.446912,  2.364624, 2.306004, 2.262157, 2.228139};
  ONTIME_CHECK(degrees >= 1, "a t distribution has degrees of freedom");
  if (degrees <= kFew.size()) return kFew[degrees - 1];
  // Expansion about the normal quantile in 1 / degrees: right to four digits from eleven on.
  const double z = kZ95;
  const auto n = static_cast<double>(degrees);
  const double z2 = z * z;
  return z + z * (z2 + 1) / (4 * n) + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
         z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n);
}

Estimate estimate_of(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  if (count == 0) return {kNan, kNan, kNan, 0};
  const double mean = sum / static_cast<double>(count);
  if (count == 1 || !std::isfinite(mean)) return {mean, kNan, kNan, count};
  double squares = 0;
  for (const double value : values) squares += std::isnan(value) ? 0 : (value - mean) * (value - mean);
  const auto n = static_cast<double>(count);
  const double margin = student_t(count - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - margin, mean + margin, count};
}

std::string interval(const Estimate& estimate, int digits) {
  return estimate.has_interval() ? fixed(estimate.low, digits) + " to " + fixed(estimate.high, digits) : "-";
}

Estimate share_of(std::uint64_t successes, std::uint64_t trials) {
  if (trials == 0) return {kNan, kNan, kNan, 0};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double square = kZ95 * kZ95;
  const double middle = (share + square / (2 * n)) / (1 + square / n);
  const double half = kZ95 / (1 + square / n) * std::sqrt(share * (1 - share) / n + square / (4 * n * n));
  return {share, std::max(0.0, middle - half), std::min(1.0, middle + half), trials};
}

double quantile_of(std::span<const double> ascending, double q) {
  if (ascending.empty()) return kNan;
  const double place = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double part = place - static_cast<double>(below);
  return ascending[below] + part * (ascending[above] - ascending[below]);
}

void Calibration::add(double forecast, bool happened) {
  if (std::isnan(forecast)) return;
  const double kept = std::clamp(forecast, 0.0, 1.0);
  ++count_;
  happened_ += happened ? 1 : 0;
  forecasts_ += kept;
  const double error = kept - (happened ? 1 : 0);
  squares_ += error * error;
}

double Calibration::brier() const { return ratio(squares_, count_); }

double Calibration::base_rate() const { return ratio(static_cast<double>(happened_), count_); }

double Calibration::uncertainty() const { return base_rate() * (1 - base_rate()); }

double Calibration::bias() const { return ratio(forecasts_ - static_cast<double>(happened_), count_); }

}  // namespace ontime::lab
