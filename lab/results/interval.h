#pragma once
// Means and shares with 95 % intervals, and how good forecasts were.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace ontime::lab {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();  // nothing was measured

// low and high are NaN where nothing can be said of how far the value may be off.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::size_t runs = 0;

  double margin() const { return (high - low) / 2; }
  bool has_interval() const { return low == low && high == high; }
};

std::string interval(const Estimate& estimate, int digits);  // "0.930 to 0.985"; "-" if it has none

// The 97.5 % quantile of Student's t; REQUIRES: degrees >= 1.
double student_t(std::size_t degrees);

// Mean of one value per run, by Student's t. Runs that say NaN do not count; one run has no interval.
Estimate estimate_of(std::span<const double> values);

// A share with Wilson's score interval.
Estimate share_of(std::uint64_t successes, std::uint64_t trials);

// 0 <= q <= 1, linear between neighbours; NaN of nothing. REQUIRES: ascending.
double quantile_of(std::span<const double> ascending, double q);

// How good forecasts of probabilities were.
class Calibration {
 public:
  void add(double forecast, bool happened);  // NaN: nothing was said, and nothing counts

  std::uint64_t count() const { return count_; }
  // The rest is NaN without any forecast.
  double brier() const;        // mean of (forecast - outcome)^2
  double base_rate() const;    // share of what happened
  double uncertainty() const;  // Brier score of always saying the base rate
  double bias() const;         // mean forecast - base rate

 private:
  std::uint64_t count_ = 0;
  std::uint64_t happened_ = 0;
  double forecasts_ = 0;
  double squares_ = 0;
};

}  // namespace ontime::lab
