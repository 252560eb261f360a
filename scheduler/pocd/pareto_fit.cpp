#include "scheduler/pocd/pareto_fit.h"

#include <algorithm>
#include <cmath>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {

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

}  // namespace ontime::scheduler::pocd
