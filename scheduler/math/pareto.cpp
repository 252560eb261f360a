#include "scheduler/math/pareto.h"

#include <algorithm>
#include <cmath>

#include "scheduler/math/numeric.h"

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

}  // namespace ontime::scheduler::math
