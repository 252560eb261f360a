#include "scheduler/policy/mantri_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/pocd/pareto.h"

namespace ontime::scheduler {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

FreshAttempt::FreshAttempt(const estimate::Durations& durations, double delta)
    : launch_(durations.launch),
      mean_per_byte_(kInfinity),
      quantile_per_byte_(kInfinity),
      is_known_(durations.t_min > 0) {
  if (!is_known_) return;
  const pocd::Pareto per_byte(durations.t_min, durations.beta);
  mean_per_byte_ = per_byte.mean();
  quantile_per_byte_ = per_byte.quantile(delta);
}

double duplicate_above(const MantriSettings& settings, const FreshAttempt& fresh, double bytes, std::uint32_t attempts,
                       double mean_task) {
  if (attempts > settings.max_copies) return kInfinity;
  const double c = attempts;
  switch (settings.form) {
    case MantriForm::P1:
      return mean_task + settings.margin;
    case MantriForm::P3:
      return attempts == 1 ? 2 * fresh.quantile(bytes) : kInfinity;
    case MantriForm::Full:
      break;
  }
  const double by_probability = (c + 1) / c * fresh.quantile(bytes);
  if (attempts > 1) return by_probability;
  return std::min(by_probability, fresh.mean(bytes) + settings.rho * settings.report);
}

double age_limit(double beta, double launch, double delta) {
  constexpr int kPoints = 256;
  const auto probability = [&](double age) {
    double sum = 0;
    for (int i = 0; i < kPoints; ++i) {
      const double fresh = launch + std::pow((i + 0.5) / kPoints, -1 / beta);
      sum += std::pow(age / (age + 2 * fresh), beta);
    }
    return sum / kPoints;
  };
  double low = 1;  // before t_min nothing is known of it
  double high = 1e6;
  if (probability(low) > delta) return low;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (probability(middle) > delta ? high : low) = middle;
  }
  return high;
}

double restart_above(const MantriSettings& settings, const FreshAttempt& fresh, double bytes) {
  return fresh.mean(bytes) + settings.report;
}

}  // namespace ontime::scheduler
