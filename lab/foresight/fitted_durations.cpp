#include <cmath>
#include <vector>

#include "lab/foresight/recorded_job.h"

namespace ontime::lab {

std::optional<FittedDurations> fitted_durations(const scheduler::math::DurationSample& sample,
                                                std::uint64_t split_bytes, scheduler::math::TailRule rule) {
  scheduler::math::DurationHints hints;
  hints.tail = rule;
  const auto bytes = static_cast<double>(split_bytes);
  const auto durations = scheduler::math::choose_durations(&sample, sample, {}, hints, bytes);
  if (durations.t_min <= 0) return std::nullopt;
  return FittedDurations{durations.distribution().scaled(bytes), durations};
}

Distribution distribution_of(const scheduler::math::FittedTail& tail) {
  using scheduler::math::TailKind;
  if (tail.kind() == TailKind::Pareto) return Distribution::pareto(tail.first(), tail.second());
  if (tail.kind() == TailKind::Lognormal) return Distribution::lognormal(std::exp(tail.first()), tail.second());
  std::vector<Distribution::Knot> knots;
  for (const auto& knot : tail.knots()) knots.push_back({std::exp(knot.ln_t), std::exp(knot.ln_survival)});
  return Distribution::knotted(knots, tail.second());
}

}  // namespace ontime::lab
