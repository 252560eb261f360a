#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/base/check.h"
#include "lab/scenario/random.h"

namespace ontime::lab {
Distribution Distribution::constant(double value) { return {Kind::Constant, value, 0}; }
Distribution Distribution::uniform(double least, double greatest) { return {Kind::Uniform, least, greatest}; }
Distribution Distribution::pareto(double t_min, double beta) { return {Kind::Pareto, t_min, beta}; }
Distribution Distribution::lognormal(double median, double sigma) { return {Kind::Lognormal, median, sigma}; }
Distribution Distribution::shifted_exponential(double least, double mean) { return {Kind::Exponential, least, mean}; }

Distribution Distribution::empirical(std::vector<double> values) {
  ONTIME_CHECK(!values.empty(), "an empirical distribution has values");
  std::sort(values.begin(), values.end());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  Distribution made(Kind::Empirical, mean, 0);
  made.values_ = std::make_shared<const std::vector<double>>(std::move(values));
  return made;
}

Distribution Distribution::knotted(const std::vector<Knot>& knots, double slope) {
  ONTIME_CHECK(!knots.empty() && slope > 0, "a survival has knots and falls behind them");
  std::vector<Knot> logarithms;
  for (const Knot& knot : knots) logarithms.push_back({natural_log(knot.value), natural_log(knot.survival)});
  Distribution made(Kind::Knotted, 0, slope);
  made.knots_ = std::make_shared<const std::vector<Knot>>(std::move(logarithms));
  made.a_ = made.mean_of_knots();
  return made;
}

Distribution Distribution::weighted(const std::vector<std::pair<double, double>>& values_and_shares) {
  ONTIME_CHECK(!values_and_shares.empty(), "a weighted distribution has values");
  double total = 0;
  double mean = 0;
  for (const auto& [value, share] : values_and_shares) {
    total += share;
    mean += value * share;
  }
  std::vector<Knot> knots;
  double above = total;
  for (const auto& [value, share] : values_and_shares) knots.push_back({value, (above -= share) / total});
  knots.back().survival = 0;  // whatever has been rounded
  Distribution made(Kind::Weighted, mean / total, 0);
  made.knots_ = std::make_shared<const std::vector<Knot>>(std::move(knots));
  return made;
}

double Distribution::weighted_at(double survival) const {
  return std::find_if(knots_->begin(), knots_->end(), [&](const Knot& knot) { return knot.survival <= survival; })
      ->value;
}

double Distribution::knotted_at(double ln_survival) const {
  std::size_t at = 0;
  while (at + 1 < knots_->size() && (*knots_)[at + 1].survival >= ln_survival) ++at;
  const Knot& from = (*knots_)[at];
  if (at + 1 == knots_->size()) return exponential(from.value + (from.survival - ln_survival) / b_);
  const Knot& to = (*knots_)[at + 1];
  const double share = (from.survival - ln_survival) / (from.survival - to.survival);
  return exponential(from.value + share * (to.value - from.value));
}

// The integral of survival: between two knots, S falls by a factor d while the value grows by a factor g, and
// S * value by d * g.
double Distribution::mean_of_knots() const {
  double mean = exponential(knots_->front().value);
  for (std::size_t at = 0; at + 1 < knots_->size(); ++at) {
    const Knot& from = (*knots_)[at];
    const double grows = (*knots_)[at + 1].value - from.value;
    const double power = grows + (*knots_)[at + 1].survival - from.survival;  // ln(d * g)
    const double first = exponential(from.value + from.survival);
    mean += std::abs(power) < 1e-9 ? first * grows : first * (exponential(power) - 1) / power * grows;
  }
  if (b_ <= 1) return std::numeric_limits<double>::infinity();
  return mean + exponential(knots_->back().value + knots_->back().survival) / (b_ - 1);
}

double Distribution::at_survival(double s) const {
  switch (kind_) {
    case Kind::Constant:
      return a_;
    case Kind::Uniform:
      return b_ - s * (b_ - a_);
    case Kind::Pareto:
      return a_ * exponential(-natural_log(s) / b_);
    case Kind::Lognormal:
      return a_ * exponential(b_ * normal_score(s));
    case Kind::Exponential:
      return a_ - (b_ - a_) * natural_log(s);
    case Kind::Knotted:
      return knotted_at(natural_log(s));
    case Kind::Weighted:
      return weighted_at(s);
    case Kind::Empirical:
      break;
  }
  const auto index = static_cast<std::size_t>((1 - s) * static_cast<double>(values_->size()));
  return (*values_)[std::min(index, values_->size() - 1)];
}

double Distribution::mean() const {
  switch (kind_) {
    case Kind::Uniform:
      return (a_ + b_) / 2;
    case Kind::Pareto:
      return b_ > 1 ? a_ * b_ / (b_ - 1) : std::numeric_limits<double>::infinity();
    case Kind::Lognormal:
      return a_ * exponential(b_ * b_ / 2);
    case Kind::Exponential:
      return b_;
    case Kind::Constant:
    case Kind::Empirical:
    case Kind::Knotted:
    case Kind::Weighted:
      break;
  }
  return a_;
}

double Distribution::least() const {
  if (kind_ == Kind::Empirical) return values_->front();
  if (kind_ == Kind::Knotted) return exponential(knots_->front().value);
  if (kind_ == Kind::Weighted) return knots_->front().value;
  return kind_ == Kind::Lognormal ? 0 : a_;
}

}  // namespace ontime::lab
