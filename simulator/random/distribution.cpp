#include "simulator/random/distribution.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>

#include "common/base/check.h"
#include "simulator/random/elementary.h"

namespace ontime::simulator {
namespace {

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

}  // namespace

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
      break;
  }
  return a_;
}

double Distribution::least() const {
  if (kind_ == Kind::Empirical) return values_->front();
  return kind_ == Kind::Lognormal ? 0 : a_;
}

std::string Distribution::to_string() const {
  static constexpr std::array<const char*, 6> kNames{"constant", "uniform", "pareto", "lognormal", "exponential",
                                                     "empirical"};
  const std::string name = kNames[static_cast<std::size_t>(kind_)];
  if (kind_ == Kind::Empirical) return name + "(" + std::to_string(values_->size()) + " values)";
  if (kind_ == Kind::Constant) return name + "(" + shortest(a_) + ")";
  return name + "(" + shortest(a_) + ", " + shortest(b_) + ")";
}

}  // namespace ontime::simulator
