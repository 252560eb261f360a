#pragma once
// What a random quantity is drawn from, by inversion: one uniform number makes one value, the same on every machine.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"

namespace ontime {

class Distribution {
 public:
  enum class Kind : std::uint8_t {
    Constant,
    Uniform,
    Pareto,
    Lognormal,
    Exponential,
    Weibull,
    Gamma,
    Empirical,
    Knotted,
    Weighted,
    Histogram
  };

  Distribution() = default;  // always 0
  static Distribution constant(double value);
  static Distribution uniform(double least, double greatest);
  static Distribution pareto(double t_min, double beta);               // P(X > x) = (t_min / x)^beta
  static Distribution lognormal(double median, double sigma);          // ln X has standard deviation sigma
  static Distribution shifted_exponential(double least, double mean);  // mean of the whole, > least
  static Distribution weibull(double scale, double shape);             // P(X > x) = exp(-(x / scale)^shape)
  static Distribution gamma(double scale, double shape);               // has the mean scale * shape
  static Distribution empirical(std::vector<double> values);           // each equally likely; REQUIRES: not empty
  static Distribution listed(std::vector<double> values);  // the same, but which one is drawn depends on their order

  // Between its knots survival falls as a power of the value, behind the last one with exponent -slope. REQUIRES:
  // values ascending, > 0; survival falling from 1, > 0.
  struct Knot {
    double value;
    double survival;
    bool operator==(const Knot&) const = default;
  };
  static Distribution knotted(const std::vector<Knot>& knots, double slope);

  // Each value with its share, whatever the shares add up to. REQUIRES: not empty, values ascending, shares > 0.
  static Distribution weighted(const std::vector<std::pair<double, double>>& values_and_shares);

  // Each bin with its share, whatever the shares add up to, evenly within it. REQUIRES: from < to, bins ascending
  // without overlaps, shares >= 0, one of them > 0.
  struct Bin {
    double from;
    double to;
    double share;
  };
  static Distribution histogram(const std::vector<Bin>& bins);

  double sample(Random& random) const { return at_survival(random.uniform()); }
  // The x with P(X > x) = s, 0 < s < 1.
  double at_survival(double s) const;
  double median() const { return at_survival(0.5); }
  double mean() const;  // infinite for Pareto with beta <= 1
  double least() const;
  bool is_constant() const { return kind_ == Kind::Constant; }
  Kind kind() const { return kind_; }
  double first() const { return a_; }  // of the two parameters, as the functions above take them
  double second() const { return b_; }
  const std::vector<double>* values() const { return values_.get(); }  // of empirical and listed, else null
  bool operator==(const Distribution& other) const;

 private:
  Distribution(Kind kind, double a, double b) : kind_(kind), a_(a), b_(b) {}
  double knotted_at(double ln_survival) const;
  double mean_of_knots() const;
  double weighted_at(double survival) const;
  double histogram_at(double survival) const;

  Kind kind_ = Kind::Constant;
  double a_ = 0;
  double b_ = 0;
  std::shared_ptr<const std::vector<double>> values_;  // of empirical and listed
  std::shared_ptr<const std::vector<Knot>> knots_;     // logarithms of both; else values, and the share above
};

// The one of this name: pareto (t_min, beta), lognormal (median, sigma), uniform (least, greatest), exponential (least,
// mean), weibull and gamma (scale, shape). BadInput if there is none, or if it cannot have these parameters.
Result<Distribution> named_distribution(std::string_view name, double a, double b);

bool is_distribution_name(std::string_view name);

// How people write the values of a quantity: times "500ms", factors "8x".
struct ValueForm {
  Result<double> (*read)(std::string_view text);
  std::string (*write)(double value);
  std::optional<double> usual = {};  // the first parameter, where it is left out: "pareto:1.5"
};

// "VALUE", "pareto:VALUE:BETA", "lognormal:VALUE:SIGMA", "uniform:VALUE:VALUE", "exponential:VALUE:VALUE",
// "weibull:VALUE:SHAPE", "gamma:VALUE:SHAPE". BadInput with what is wrong; the caller says what is written so.
Result<Distribution> parse_distribution(std::string_view text, const ValueForm& form);
// A text that parse_distribution reads, of a distribution that it can have made.
std::string text_of(const Distribution& distribution, const ValueForm& form);

}  // namespace ontime
