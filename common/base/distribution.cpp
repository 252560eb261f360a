#include "common/base/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/base/check.h"
#include "common/base/portable_gamma.h"
#include "common/base/portable_math.h"
#include "common/base/units.h"
#include "common/base/wording.h"

namespace ontime {
namespace {

constexpr double kBetaMin = 0.1;
constexpr double kBetaMax = 100;
constexpr double kSigmaMax = 10;
constexpr double kShapeMin = 0.2;
constexpr double kShapeMax = 100;

bool has_shape(double scale, double shape) { return scale > 0 && shape >= kShapeMin && shape <= kShapeMax; }

struct Family {
  std::string_view name;
  Distribution::Kind kind;
  Distribution (*make)(double a, double b);
  bool second_is_value;  // of the quantity; otherwise a plain number
  bool (*takes)(double a, double b);
  const char* what;  // it takes
};
constexpr Family kFamilies[] = {
    {"pareto", Distribution::Kind::Pareto, Distribution::pareto, false,
     [](double a, double b) { return a > 0 && b >= kBetaMin && b <= kBetaMax; },
     "a positive minimum and a tail index from 0.1 to 100"},
    {"lognormal", Distribution::Kind::Lognormal, Distribution::lognormal, false,
     [](double a, double b) { return a > 0 && b >= 0 && b <= kSigmaMax; },
     "a positive median and a standard deviation from 0 to 10 of the logarithm"},
    {"uniform", Distribution::Kind::Uniform, Distribution::uniform, true, [](double a, double b) { return a <= b; },
     "the least and the greatest value, in this order"},
    {"exponential", Distribution::Kind::Exponential, Distribution::shifted_exponential, true,
     [](double a, double b) { return a < b; }, "the least value and a mean above it"},
    {"weibull", Distribution::Kind::Weibull, Distribution::weibull, false, has_shape,
     "a positive scale and a shape from 0.2 to 100"},
    {"gamma", Distribution::Kind::Gamma, Distribution::gamma, false, has_shape,
     "a positive scale and a shape from 0.2 to 100"},
};

const Family* family_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                   [&](const Family& family) { return family.name == name; });
  return found == std::end(kFamilies) ? nullptr : found;
}

template <class T>
bool same(const std::shared_ptr<const std::vector<T>>& a, const std::shared_ptr<const std::vector<T>>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

Distribution Distribution::constant(double value) { return {Kind::Constant, value, 0}; }
Distribution Distribution::uniform(double least, double greatest) { return {Kind::Uniform, least, greatest}; }
Distribution Distribution::pareto(double t_min, double beta) { return {Kind::Pareto, t_min, beta}; }
Distribution Distribution::lognormal(double median, double sigma) { return {Kind::Lognormal, median, sigma}; }
Distribution Distribution::shifted_exponential(double least, double mean) { return {Kind::Exponential, least, mean}; }
Distribution Distribution::weibull(double scale, double shape) { return {Kind::Weibull, scale, shape}; }
Distribution Distribution::gamma(double scale, double shape) { return {Kind::Gamma, scale, shape}; }

Distribution Distribution::empirical(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return listed(std::move(values));
}

Distribution Distribution::listed(std::vector<double> values) {
  ONTIME_CHECK(!values.empty(), "an empirical distribution has values");
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

Distribution Distribution::histogram(const std::vector<Bin>& bins) {
  double total = 0;
  double mean = 0;
  for (const Bin& bin : bins) {
    total += bin.share;
    mean += bin.share * (bin.from + bin.to) / 2;
  }
  ONTIME_CHECK(total > 0, "a histogram has something in it");
  std::vector<Knot> knots;
  double above = total;
  for (const Bin& bin : bins) {
    if (bin.share <= 0) continue;
    knots.push_back({bin.from, above / total});
    knots.push_back({bin.to, (above -= bin.share) / total});
  }
  knots.back().survival = 0;  // whatever has been rounded
  Distribution made(Kind::Histogram, mean / total, 0);
  made.knots_ = std::make_shared<const std::vector<Knot>>(std::move(knots));
  return made;
}

double Distribution::histogram_at(double survival) const {
  const auto to = std::partition_point(knots_->begin() + 1, knots_->end() - 1,
                                       [&](const Knot& knot) { return knot.survival > survival; });
  const auto from = to - 1;
  const double part = (from->survival - survival) / (from->survival - to->survival);
  return from->value + part * (to->value - from->value);
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
    case Kind::Weibull:
      return a_ * exponential(natural_log(-natural_log(s)) / b_);
    case Kind::Gamma:
      return a_ * gamma_at(b_, s);
    case Kind::Knotted:
      return knotted_at(natural_log(s));
    case Kind::Weighted:
      return weighted_at(s);
    case Kind::Histogram:
      return histogram_at(s);
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
    case Kind::Weibull:
      return a_ * exponential(ln_gamma(1 + 1 / b_));
    case Kind::Gamma:
      return a_ * b_;
    case Kind::Constant:
    case Kind::Empirical:
    case Kind::Knotted:
    case Kind::Weighted:
    case Kind::Histogram:
      break;
  }
  return a_;
}

double Distribution::least() const {
  if (kind_ == Kind::Empirical) return *std::min_element(values_->begin(), values_->end());
  if (kind_ == Kind::Knotted) return exponential(knots_->front().value);
  if (kind_ == Kind::Weighted || kind_ == Kind::Histogram) return knots_->front().value;
  return kind_ == Kind::Lognormal || kind_ == Kind::Weibull || kind_ == Kind::Gamma ? 0 : a_;
}

bool Distribution::operator==(const Distribution& other) const {
  return kind_ == other.kind_ && a_ == other.a_ && b_ == other.b_ && same(values_, other.values_) &&
         same(knots_, other.knots_);
}

bool is_distribution_name(std::string_view name) { return family_of(name) != nullptr; }

Result<Distribution> named_distribution(std::string_view name, double a, double b) {
  const Family* family = family_of(name);
  if (family == nullptr)
    return bad_input("'" + std::string(name) + "' is not one of: " + ontime::listed(names_of(kFamilies)));
  if (!std::isfinite(a) || !std::isfinite(b) || !family->takes(a, b)) {
    return bad_input(std::string(name) + ": expected " + family->what);
  }
  return family->make(a, b);
}

Result<Distribution> parse_distribution(std::string_view text, const ValueForm& form) {
  const std::size_t name_ends = text.find(':');
  const Family* family = family_of(text.substr(0, name_ends));
  if (family == nullptr || name_ends == std::string_view::npos) {
    auto value = form.read(text);
    return value ? Result<Distribution>(Distribution::constant(*value)) : std::move(value).error();
  }
  const std::string_view both = text.substr(name_ends + 1);
  const std::size_t colon = both.rfind(':');
  if (colon == std::string_view::npos && (!form.usual || family->second_is_value)) {
    return bad_input(std::string(family->name) + ": expected " + family->what);
  }
  const auto first = colon == std::string_view::npos ? Result<double>(*form.usual) : form.read(both.substr(0, colon));
  if (!first) return first.error();
  const std::string_view rest = both.substr(colon == std::string_view::npos ? 0 : colon + 1);
  if (family->second_is_value) {
    const auto second = form.read(rest);
    return second ? named_distribution(family->name, *first, *second) : second.error();
  }
  return named_distribution(family->name, *first, number_in<double>(rest).value_or(std::nan("")));
}

std::string text_of(const Distribution& distribution, const ValueForm& form) {
  for (const Family& family : kFamilies) {
    if (family.kind != distribution.kind()) continue;
    std::string text(family.name);
    if (family.second_is_value || distribution.first() != form.usual) text += ":" + form.write(distribution.first());
    return text + ":" + (family.second_is_value ? form.write : shortest)(distribution.second());
  }
  return form.write(distribution.first());
}

}  // namespace ontime
