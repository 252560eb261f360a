#pragma once
// Random numbers that are the same on every machine, the arithmetic for it, and distributions. Each thing that is drawn
// has a stream of its own, named by what it is for and by whom: the first attempt of a task takes as long under one
// policy as under another, whatever else they do, so that policies are compared on the same luck.

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ontime::lab {

// Functions that give the same bits on every machine, which those of the C library need not: they are made of
// additions, multiplications, divisions and square roots only, all of which IEEE 754 rounds in one way. Accurate to
// about 1e-15 (normal_score: 1e-9), relatively.
double natural_log(double x);  // x > 0, normal
double exponential(double x);  // 0 below -700, infinite above 709

// P(Z > z) of the standard normal distribution.
double normal_survival(double z);
// The z with P(Z > z) = s, 0 < s < 1.
double normal_score(double s);

// Never renumber: seeds of reported runs depend on it.
enum class Purpose : std::uint64_t {
  Arrivals = 1,
  JobSize = 2,
  NodeSlowness = 3,
  NodeScore = 4,
  Launch = 5,
  Duration = 6,
  Heartbeat = 7,
  Crash = 8,
  Outage = 9,
  JobScale = 10,
  Skew = 11,
  NetworkDelay = 12,
  PacketLoss = 13,
  Sync = 14,
  Commit = 15,
  Choice = 16,
  SplitLength = 17,
  History = 18,
  Faults = 10,  // of fault schedules, which have no JobScale
  Store = 16,   // of fault schedules too
  Test = 100,
};

// xoshiro256++, seeded through splitmix64.
class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0);

  std::uint64_t next();
  double uniform();                          // strictly between 0 and 1
  std::uint64_t below(std::uint64_t bound);  // 0 to bound - 1; bound > 0

 private:
  std::array<std::uint64_t, 4> state_;
};

// What a random quantity of a scenario is drawn from, by inversion: one uniform number makes one value.
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
  bool operator==(const Distribution&) const = default;  // of those without values or knots

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
