#pragma once
// The distribution of execution times that was fitted to attempts, or that was seen of them.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ontime::scheduler::math {

// Kaplan and Meier's estimate from finished and running attempts, without a model: P(T > time) is `survival` from there
// to the next step, ascending in time. Where the longest attempt still runs, the last survival is above 0: nothing is
// known about where the rest ends. Empty when no attempt has finished.
struct SurvivalStep {
  double time;
  double survival;
};
std::vector<SurvivalStep> kaplan_meier(std::span<const double> finished, std::span<const double> running);

// One of the distributions of execution times, as a value that is cheap to copy and to ask: a million odds are asked of
// it in a decision. Pareto and lognormal by their parameters; empirical: as it was seen, smoothed.

enum class TailKind : std::uint8_t { Pareto, Lognormal, Empirical };
std::string_view name_of(TailKind kind);  // "pareto", "lognormal", "empirical"

class FittedTail {
 public:
  static FittedTail pareto(double t_min, double beta);  // both > 0
  static FittedTail lognormal(double m, double s);      // s > 0
  // Kaplan and Meier's estimate, a straight line in (ln t, ln P(T > t)) between its quantiles; beyond the 0.9 quantile,
  // where there is little to go by, it falls as t^-slope. REQUIRES: finished is not empty, all > 0; slope > 0.
  static FittedTail empirical(std::span<const double> finished, std::span<const double> running, double slope);

  // Of so many times the time: in other units.
  FittedTail scaled(double factor) const;

  TailKind kind() const { return kind_; }
  // Pareto: t_min and beta; lognormal: m and s; empirical: the 0.9 quantile and the slope behind it.
  double first() const { return a_; }
  double second() const { return b_; }

  double ln_survival(double t) const;
  // The same from ln t. Lognormal: from a table, to about 1e-4 of ln P.
  double ln_survival_at(double ln_t) const;
  double quantile(double q) const;
  double median() const { return median_; }
  double mean() const;
  double mean_capped(double x) const;

  struct Knot {
    double ln_t;
    double ln_survival;
  };
  std::span<const Knot> knots() const;  // of empirical: ascending in t, falling, the first at survival 1; else none

 private:
  FittedTail(TailKind kind, double a, double b) : kind_(kind), a_(a), b_(b) {}
  double slope_from(std::size_t knot) const;

  TailKind kind_;
  double a_;
  double b_;
  double median_ = 0;
  double ln_t_min_ = 0;                             // of Pareto
  std::shared_ptr<const std::vector<Knot>> knots_;  // of empirical
};

}  // namespace ontime::scheduler::math
