#pragma once
// The standard normal distribution, accurate in its far tail.

#include <optional>
#include <span>

namespace ontime::scheduler::math {

// ln P(Z > z); finite far beyond z = 38, where P itself is no longer a double.
double ln_normal_survival(double z);

// Density divided by survival.
double normal_hazard(double z);

// The z with P(Z <= z) = q, 0 < q < 1; -inf at 0 and inf at 1.
double normal_quantile(double q);

// Lognormal execution times: ln T is normal. The usual shape of task durations in traces of real clusters.

// m: mean of ln T (T in any one unit); s > 0: standard deviation of ln T.
class Lognormal {
 public:
  Lognormal(double m, double s) : m_(m), s_(s) {}

  double m() const { return m_; }
  double s() const { return s_; }

  double ln_survival(double t) const;
  double quantile(double q) const;
  double mean() const;
  double mean_capped(double x) const;

 private:
  double m_;
  double s_;
};

// Maximum likelihood by expectation maximisation: a running attempt counts as what a lognormal attempt that has got so
// far may be expected to take. Nothing with fewer than two different finished times, or if it does not settle.
std::optional<Lognormal> fit_lognormal(std::span<const double> finished, std::span<const double> running);

}  // namespace ontime::scheduler::math
