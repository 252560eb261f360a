#include "scheduler/math/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ontime::scheduler::math {
double Pareto::ln_survival(double x) const { return x <= t_min_ ? 0 : -times(beta_, ln_ratio(x, t_min_)); }

double Pareto::survival(double x) const { return std::exp(ln_survival(x)); }

double Pareto::cdf(double x) const { return -std::expm1(ln_survival(x)); }

double Pareto::quantile(double q) const { return t_min_ * std::exp(-std::log1p(-q) / beta_); }

double Pareto::mean() const { return excess_ > 0 ? t_min_ * beta_ / excess_ : kInfinity; }

double Pareto::mean_capped(double x) const { return x <= t_min_ ? x : t_min_ + power_integral(t_min_, beta_, x); }

double Pareto::mean_above(double x) const { return excess_ > 0 && x > t_min_ ? x * beta_ / excess_ : mean(); }

double Pareto::mean_of_maximum(double n) const {
  if (!(excess_ > 0)) return kInfinity;
  // t_min Gamma(n + 1) Gamma(1 - 1/beta) / Gamma(n + 1 - 1/beta)
  return t_min_ * std::tgamma(excess_ / beta_) * gamma_ratio(n + 1, -1 / beta_);
}

std::optional<ParetoFit> fit_pareto_beta(double t_min, std::span<const double> finished,
                                         std::span<const double> running) {
  if (finished.empty() || !(t_min > 0)) return std::nullopt;
  double sum = 0;
  std::size_t informative = 0;
  for (const double t : finished) sum += std::max(0.0, ln_ratio(t, t_min));
  for (const double t : running) {
    if (t <= t_min) continue;
    sum += ln_ratio(t, t_min);
    ++informative;
  }
  const auto count = static_cast<double>(finished.size());
  const double beta = sum > 0 ? count / sum : kInfinity;
  return ParetoFit{Pareto(t_min, beta), beta / std::sqrt(count), finished.size(), informative};
}

std::optional<ParetoFit> fit_pareto(std::span<const double> finished, std::span<const double> running) {
  if (finished.empty()) return std::nullopt;
  return fit_pareto_beta(*std::min_element(finished.begin(), finished.end()), finished, running);
}

namespace {

const double kLnSqrt2Pi = 0.5 * std::log(2 * std::numbers::pi);

// Laplace's continued fraction of the Mills ratio P(Z > z) / density(z); for z >= 5 sixty levels are exact in double.
double mills_ratio(double z) {
  double fraction = z;
  for (int level = 60; level > 0; --level) fraction = z + level / fraction;
  return 1 / fraction;
}

}  // namespace

double ln_normal_survival(double z) {
  if (z < -1) return std::log1p(-0.5 * std::erfc(-z / std::numbers::sqrt2));
  if (z < 5) return std::log(0.5 * std::erfc(z / std::numbers::sqrt2));
  return -0.5 * z * z - kLnSqrt2Pi + std::log(mills_ratio(z));
}

double normal_hazard(double z) {
  if (z >= 5) return 1 / mills_ratio(z);
  return std::exp(-0.5 * z * z - kLnSqrt2Pi - ln_normal_survival(z));
}

double normal_quantile(double q) {
  if (q <= 0) return -kInfinity;
  if (q >= 1) return kInfinity;
  return -std::numbers::sqrt2 * inverse_erfc(2 * q);
}

namespace {

// First and second moment of what is known about ln T, summed over attempts.
struct Moments {
  double first = 0;
  double second = 0;
  void add(double x) {
    first += x;
    second += x * x;
  }
};

Moments moments_of(std::span<const double> finished, double origin) {
  Moments sums;
  for (const double t : finished) sums.add(std::log(t) - origin);
  return sums;
}

// E[x] and E[x^2] of a normal x beyond c: m + s h and m^2 + s^2 + s h (m + c), where h is the hazard at c.
void add_censored(Moments& sums, double c, double m, double s) {
  const double hazard = normal_hazard((c - m) / s);
  sums.first += m + s * hazard;
  sums.second += m * m + s * s + s * hazard * (m + c);
}

}  // namespace

double Lognormal::ln_survival(double t) const { return t <= 0 ? 0 : ln_normal_survival((std::log(t) - m_) / s_); }

double Lognormal::quantile(double q) const { return std::exp(m_ + s_ * normal_quantile(q)); }

double Lognormal::mean() const { return std::exp(m_ + s_ * s_ / 2); }

double Lognormal::mean_capped(double x) const {
  if (x <= 0) return x;
  const double z = (std::log(x) - m_) / s_;
  // E[T; T <= x] + x P(T > x)
  return mean() * std::exp(ln_normal_survival(s_ - z)) + x * std::exp(ln_normal_survival(z));
}

std::optional<Lognormal> fit_lognormal(std::span<const double> finished, std::span<const double> running) {
  if (finished.size() < 2) return std::nullopt;
  const auto known = static_cast<double>(finished.size());
  const double origin = moments_of(finished, 0).first / known;  // centred, so that the variance does not cancel
  const Moments fixed = moments_of(finished, origin);
  double m = fixed.first / known;
  double s = std::sqrt(fixed.second / known - m * m);
  if (!(s > 0)) return std::nullopt;
  const double count = known + static_cast<double>(running.size());
  for (int round = 0; round < 10'000; ++round) {
    Moments sums = fixed;
    for (const double t : running) add_censored(sums, std::log(t) - origin, m, s);
    const double next_m = sums.first / count;
    const double next_s = std::sqrt(sums.second / count - next_m * next_m);
    const double change = std::abs(next_m - m) + std::abs(next_s - s);
    m = next_m;
    s = next_s;
    if (change <= 1e-12 * s) return Lognormal(origin + m, s);
  }
  return std::nullopt;
}

}  // namespace ontime::scheduler::math
