#pragma once
// Distributions of execution times, and their fits to attempts that have finished and attempts that still run.

#include <cstddef>
#include <optional>
#include <span>

#include "scheduler/math/numeric.h"

namespace ontime::scheduler::math {

// Pareto: P(T > t) = (t_min / t)^beta for t >= t_min. Chronos section IV, Shed section III, Shed+ section III; Xu & Lau
// write mu for t_min and alpha for beta.
// Domain: t_min > 0 (time, any one unit), beta > 0 (dimensionless). beta <= 1 has an infinite mean, beta <= 2 an
// infinite variance. Results about times have the unit of t_min.
class Pareto {
 public:
  Pareto(double t_min, double beta) : Pareto(t_min, beta, beta - 1) {}

  double t_min() const { return t_min_; }
  double beta() const { return beta_; }

  double ln_survival(double x) const;  // ln P(T > x)
  double survival(double x) const;
  double cdf(double x) const;
  double quantile(double q) const;  // the time that T does not exceed with probability q, 0 <= q < 1

  double mean() const;
  double mean_capped(double x) const;  // E[min(T, x)]: what an attempt costs that is killed at x
  double mean_above(double x) const;   // E[T | T > x]

  // The fastest of n attempts is Pareto again (Chronos, Lemma 1); n may be fractional.
  Pareto minimum_of(double n) const { return {t_min_, beta_ * n, excess_over_one(beta_, n)}; }
  // E[max of n]: how long n parallel tasks take (Xu & Lau eq. 12). Infinite for beta <= 1.
  double mean_of_maximum(double n) const;

 private:
  Pareto(double t_min, double beta, double excess) : t_min_(t_min), beta_(beta), excess_(excess) {}

  double t_min_;
  double beta_;
  double excess_;  // beta - 1, known better than beta when that is a product: the mean's pole is here
};

// Maximum-likelihood fit of (t_min, beta) from attempts that have finished and attempts that still run (censored).

struct ParetoFit {
  Pareto distribution;
  double beta_error = 0;     // standard error of beta: beta / sqrt(finished); how far the fit can be trusted
  std::size_t finished = 0;  // attempts that the fit rests on
  std::size_t running = 0;   // of the others, those that have run longer than t_min and so say something about beta
};

// finished: execution times, > 0; running: times run so far. t_min is the shortest finished time and
// beta = finished / (sum of ln(t / t_min) over finished and running). Nothing when no attempt has finished; beta is
// infinite when all finished at the same time and none ran longer.
std::optional<ParetoFit> fit_pareto(std::span<const double> finished, std::span<const double> running);

// The same with a known t_min, as from earlier jobs of the same application; times below t_min count as t_min.
std::optional<ParetoFit> fit_pareto_beta(double t_min, std::span<const double> finished,
                                         std::span<const double> running);

// The standard normal distribution, accurate in its far tail.

// ln P(Z > z); finite far beyond z = 38, where P itself is no longer a double.
double ln_normal_survival(double z);

// Density divided by survival.
double normal_hazard(double z);

// The z with P(Z <= z) = q, 0 < q < 1; -inf at 0 and inf at 1.
double normal_quantile(double q);

// Lognormal execution times: ln T is normal. The usual shape of task durations in traces of real clusters.

// m: mean of ln T (T in any one unit); s > 0: standard deviation of ln T.
class Lognormal {
 public:
  Lognormal(double m, double s) : m_(m), s_(s) {}

  double m() const { return m_; }
  double s() const { return s_; }

  double ln_survival(double t) const;
  double quantile(double q) const;
  double mean() const;
  double mean_capped(double x) const;

 private:
  double m_;
  double s_;
};

// Maximum likelihood by expectation maximisation: a running attempt counts as what a lognormal attempt that has got so
// far may be expected to take. Nothing with fewer than two different finished times, or if it does not settle.
std::optional<Lognormal> fit_lognormal(std::span<const double> finished, std::span<const double> running);

}  // namespace ontime::scheduler::math
