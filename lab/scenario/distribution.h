#pragma once
// What a random quantity of a scenario is drawn from, by inversion: one uniform number makes one value.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/scenario/random.h"

namespace ontime::lab {

class Distribution {
 public:
  Distribution() = default;  // always 0
  static Distribution constant(double value);
  static Distribution uniform(double least, double greatest);
  static Distribution pareto(double t_min, double beta);               // P(X > x) = (t_min / x)^beta
  static Distribution lognormal(double median, double sigma);          // ln X has standard deviation sigma
  static Distribution shifted_exponential(double least, double mean);  // mean of the whole, > least
  static Distribution empirical(std::vector<double> values);           // each equally likely; REQUIRES: not empty

  // Between its knots survival falls as a power of the value, behind the last one with exponent -slope. REQUIRES:
  // values ascending, > 0; survival falling from 1, > 0.
  struct Knot {
    double value;
    double survival;
  };
  static Distribution knotted(const std::vector<Knot>& knots, double slope);

  // Each value with its share, whatever the shares add up to. REQUIRES: not empty, values ascending, shares > 0.
  static Distribution weighted(const std::vector<std::pair<double, double>>& values_and_shares);

  double sample(Random& random) const { return at_survival(random.uniform()); }
  // The x with P(X > x) = s, 0 < s < 1.
  double at_survival(double s) const;
  double median() const { return at_survival(0.5); }
  double mean() const;  // infinite for Pareto with beta <= 1
  double least() const;
  bool is_constant() const { return kind_ == Kind::Constant; }
  std::string to_string() const;  // "pareto(10, 1.5)"

 private:
  enum class Kind : std::uint8_t { Constant, Uniform, Pareto, Lognormal, Exponential, Empirical, Knotted, Weighted };
  Distribution(Kind kind, double a, double b) : kind_(kind), a_(a), b_(b) {}

  Kind kind_ = Kind::Constant;
  double a_ = 0;
  double b_ = 0;
  double knotted_at(double ln_survival) const;
  double mean_of_knots() const;
  double weighted_at(double survival) const;

  std::shared_ptr<const std::vector<double>> values_;  // of empirical: ascending
  std::shared_ptr<const std::vector<Knot>> knots_;     // logarithms of both; of weighted: values, and the share above
};

}  // namespace ontime::lab
