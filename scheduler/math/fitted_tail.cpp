#include "scheduler/math/fitted_tail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scheduler/math/lognormal.h"
#include "scheduler/math/numeric.h"
#include "scheduler/math/pareto.h"

namespace ontime::scheduler::math {

std::vector<SurvivalStep> kaplan_meier(std::span<const double> finished, std::span<const double> running) {
  std::vector<std::pair<double, bool>> ends;  // time, still running: at the same time those that finished come first
  for (const double t : finished) ends.emplace_back(t, false);
  for (const double t : running) ends.emplace_back(t, true);
  std::sort(ends.begin(), ends.end());
  std::vector<SurvivalStep> steps;
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
  return steps;
}

namespace {

constexpr std::array<double, 16> kQuantiles{0.02, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.4,
                                            0.5,  0.6,  0.65, 0.7,  0.75, 0.8,  0.85, 0.9};

// ln P(Z > z) at steps of 1/kPerUnit from -kReach to kReach. Between them it is nearly a straight line.
constexpr int kReach = 8;
constexpr int kPerUnit = 64;

const std::array<double, 2 * kReach * kPerUnit + 2>& normal_table() {
  static const auto table = [] {
    std::array<double, 2 * kReach * kPerUnit + 2> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = ln_normal_survival(static_cast<double>(i) / kPerUnit - kReach);
    }
    return values;
  }();
  return table;
}

double ln_normal_survival_quickly(double z) {
  const double place = (z + kReach) * kPerUnit;
  if (!(place >= 0 && place < 2 * kReach * kPerUnit)) return ln_normal_survival(z);
  const auto at = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(at);
  const auto& table = normal_table();
  return table[at] + share * (table[at + 1] - table[at]);
}

// Integral over t from `from` to `to` of a survival that is `survival` at `from` and falls as t^-slope.
double power_area(double from, double to, double survival, double slope) {
  const double ln_ratio = std::log(to / from);
  const double power = 1 - slope;
  return survival * from * (std::abs(power) < 1e-9 ? ln_ratio : std::expm1(power * ln_ratio) / power);
}

}  // namespace

std::string_view name_of(TailKind kind) {
  switch (kind) {
    case TailKind::Pareto:
      return "pareto";
    case TailKind::Lognormal:
      return "lognormal";
    case TailKind::Empirical:
      break;
  }
  return "empirical";
}

FittedTail FittedTail::pareto(double t_min, double beta) {
  FittedTail tail(TailKind::Pareto, t_min, beta);
  tail.ln_t_min_ = std::log(t_min);
  tail.median_ = t_min * std::exp2(1 / beta);
  return tail;
}

FittedTail FittedTail::lognormal(double m, double s) {
  FittedTail tail(TailKind::Lognormal, m, s);
  tail.median_ = std::exp(m);
  return tail;
}

FittedTail FittedTail::empirical(std::span<const double> finished, std::span<const double> running, double slope) {
  const std::vector<SurvivalStep> seen = kaplan_meier(finished, running);
  auto step = seen.begin();
  std::vector<Knot> knots{{std::log(*std::min_element(finished.begin(), finished.end())), 0}};
  for (const double q : kQuantiles) {
    while (step != seen.end() && 1 - step->survival < q) ++step;
    if (step == seen.end()) break;  // nobody has shown it yet
    const Knot knot{std::log(step->time), std::log1p(-q)};
    if (knot.ln_t > knots.back().ln_t)
      knots.push_back(knot);
    else if (knots.size() > 1)
      knots.back() = knot;  // many took the same time: the last of them counts
  }
  FittedTail tail(TailKind::Empirical, std::exp(knots.back().ln_t), slope);
  tail.knots_ = std::make_shared<const std::vector<Knot>>(std::move(knots));
  tail.median_ = tail.quantile(0.5);
  return tail;
}

FittedTail FittedTail::scaled(double factor) const {
  if (kind_ == TailKind::Pareto) return pareto(a_ * factor, b_);
  if (kind_ == TailKind::Lognormal) return lognormal(a_ + std::log(factor), b_);
  FittedTail tail(kind_, a_ * factor, b_);
  std::vector<Knot> knots(*knots_);
  for (Knot& knot : knots) knot.ln_t += std::log(factor);
  tail.knots_ = std::make_shared<const std::vector<Knot>>(std::move(knots));
  tail.median_ = median_ * factor;
  return tail;
}

std::span<const FittedTail::Knot> FittedTail::knots() const {
  return knots_ ? std::span<const Knot>(*knots_) : std::span<const Knot>{};
}

double FittedTail::slope_from(std::size_t knot) const {
  if (knot + 1 == knots_->size()) return b_;
  const Knot& from = (*knots_)[knot];
  const Knot& to = (*knots_)[knot + 1];
  return (from.ln_survival - to.ln_survival) / (to.ln_t - from.ln_t);
}

double FittedTail::ln_survival(double t) const { return t > 0 ? ln_survival_at(std::log(t)) : 0; }

double FittedTail::ln_survival_at(double ln_t) const {
  if (kind_ == TailKind::Pareto) return ln_t <= ln_t_min_ ? 0 : -times(b_, ln_t - ln_t_min_);
  if (kind_ == TailKind::Lognormal) return ln_normal_survival_quickly((ln_t - a_) / b_);
  const auto after = std::upper_bound(knots_->begin(), knots_->end(), ln_t,
                                      [](double at, const Knot& knot) { return at < knot.ln_t; });
  if (after == knots_->begin()) return 0;
  const Knot& from = *std::prev(after);
  return from.ln_survival - slope_from(static_cast<std::size_t>(after - knots_->begin()) - 1) * (ln_t - from.ln_t);
}

double FittedTail::quantile(double q) const {
  if (kind_ == TailKind::Pareto) return Pareto(a_, b_).quantile(q);
  if (kind_ == TailKind::Lognormal) return Lognormal(a_, b_).quantile(q);
  const double ln_survival = std::log1p(-q);
  std::size_t at = 0;
  while (at + 1 < knots_->size() && (*knots_)[at + 1].ln_survival >= ln_survival) ++at;
  const Knot& from = (*knots_)[at];
  return std::exp(from.ln_t + (from.ln_survival - ln_survival) / slope_from(at));
}

double FittedTail::mean() const {
  if (kind_ == TailKind::Pareto) return Pareto(a_, b_).mean();
  if (kind_ == TailKind::Lognormal) return Lognormal(a_, b_).mean();
  if (b_ <= 1) return kInfinity;
  return mean_capped(a_) + std::exp(knots_->back().ln_survival) * a_ / (b_ - 1);
}

double FittedTail::mean_capped(double x) const {
  if (kind_ == TailKind::Pareto) return Pareto(a_, b_).mean_capped(x);
  if (kind_ == TailKind::Lognormal) return Lognormal(a_, b_).mean_capped(x);
  const double first = std::exp(knots_->front().ln_t);
  if (x <= first) return x;
  double area = first;
  for (std::size_t at = 0; at < knots_->size(); ++at) {
    const double from = std::exp((*knots_)[at].ln_t);
    if (from >= x) break;
    const bool is_last = at + 1 == knots_->size();
    const double to = is_last ? x : std::min(x, std::exp((*knots_)[at + 1].ln_t));
    area += power_area(from, to, std::exp((*knots_)[at].ln_survival), slope_from(at));
  }
  return area;
}

}  // namespace ontime::scheduler::math
