#include "scheduler/forecast/remainder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/forecast/scenario.h"
#include "scheduler/math/distributions.h"

namespace ontime::scheduler {
namespace {

// Scenarios times things to draw for: this keeps a forecast below a few milliseconds. Large jobs need fewer scenarios,
// because with many tasks luck averages out within each of them.
constexpr double kDrawsMost = 60'000;
constexpr std::uint32_t kScenariosMost = 128;
constexpr std::uint32_t kScenariosLeast = 32;

std::uint32_t scenarios_for(const Remainder& remainder) {
  const double parts = 1 + static_cast<double>(remainder.racing.size() + remainder.waiting.size() +
                                               remainder.others.size() + remainder.ahead.size());
  std::uint32_t scenarios = kScenariosMost;
  while (scenarios > kScenariosLeast && scenarios * parts > kDrawsMost) scenarios /= 2;
  return scenarios;
}

}  // namespace

const Quantiles& normal_scores() {
  static const Quantiles scores(math::normal_quantile);
  return scores;
}

std::vector<double> Remainder::ends(const math::FittedTail& tail) const {
  const Luck luck(scenarios_for(*this));
  // Tabulated once for all scenarios: a quantile of a fitted tail costs a search.
  const Quantiles ln_times([&](double q) { return std::log(tail.quantile(q)); });
  RemainderScenario scenario(*this, luck, ln_times);
  std::vector<double> ends;
  ends.reserve(luck.scenarios());
  for (std::uint32_t number = 0; number < luck.scenarios(); ++number) ends.push_back(scenario.live_through(number));
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace ontime::scheduler
