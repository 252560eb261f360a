#pragma once
// 95 % intervals over repeated runs.

#include <limits>
#include <span>
#include <vector>

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

// The 97.5 % quantile of Student's t; REQUIRES: degrees >= 1.
double student_t(std::size_t degrees);

// Mean of one value per run, by Student's t. Runs that say NaN do not count; one run has no interval.
Estimate estimate_of(std::span<const double> values);

// 0 <= q <= 1, linear between neighbours; NaN of nothing. REQUIRES: ascending.
double quantile_of(std::span<const double> ascending, double q);

}  // namespace ontime::lab
