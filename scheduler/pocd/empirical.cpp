#include "scheduler/pocd/empirical.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {

std::optional<EmpiricalTail> EmpiricalTail::from(std::span<const double> finished, std::span<const double> running) {
  if (finished.empty()) return std::nullopt;
  std::vector<std::pair<double, bool>> ends;  // time, still running: at the same time those that finished come first
  for (const double t : finished) ends.emplace_back(t, false);
  for (const double t : running) ends.emplace_back(t, true);
  std::sort(ends.begin(), ends.end());
  std::vector<Step> steps;
  double survival = 1;
  auto at_risk = static_cast<double>(ends.size());
  for (const auto& [time, censored] : ends) {
    if (!censored) {
      survival *= (at_risk - 1) / at_risk;
      if (!steps.empty() && steps.back().time == time) steps.pop_back();
      steps.push_back({time, survival});
    }
    --at_risk;
  }
  return EmpiricalTail(std::move(steps));
}

double EmpiricalTail::ln_survival(double t) const {
  const auto after =
      std::upper_bound(steps_.begin(), steps_.end(), t, [](double at, const Step& step) { return at < step.time; });
  return after == steps_.begin() ? 0 : std::log(std::prev(after)->survival);
}

double EmpiricalTail::quantile(double q) const {
  const auto reached = std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) { return 1 - s.survival >= q; });
  return reached == steps_.end() ? kInfinity : reached->time;
}

double EmpiricalTail::mean() const { return steps_.back().survival > 0 ? kInfinity : mean_capped(steps_.back().time); }

double EmpiricalTail::mean_capped(double x) const {
  double area = 0;
  double from = 0;
  double survival = 1;
  for (const Step& step : steps_) {
    if (step.time >= x) break;
    area += survival * (step.time - from);
    from = step.time;
    survival = step.survival;
  }
  return area + times(survival, x - from);
}

}  // namespace ontime::scheduler::pocd
