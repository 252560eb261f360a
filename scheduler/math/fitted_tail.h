#pragma once
// The distribution of execution times that was fitted to attempts, or that was seen of them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
  bool operator==(const FittedTail&) const = default;  // two that were seen are different, whatever was seen

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

// Which distribution an application's execution times have. The papers say Pareto; of real stages most are not: their
// shortest task says little about the others, and the fitted shape is too heavy a tail and too high a hope near t_min.
//
//   auto       lognormal or Pareto, whichever makes what was seen more likely (maximum likelihood, attempts that were
//              ended early count as censored; Pareto must be better by kParetoHandicap, as it is the rarer one and its
//              t_min is fitted to one observation). Empirical where neither is a fair description (Kolmogorov and
//              Smirnov at 1 %) of kEnoughForEmpirical attempts or more, of whom few were ended early
//   others     that one
//
// Few observations: the spread is drawn towards what is usual, with the weight k / (n + k), k = kPriorWeight.
// Lognormal: its variance towards kUsualSpread^2, and as m is not known any better, times 1 + 1/n. Pareto: 1 / beta
// towards half (beta 2, as is assumed of jobs that nothing is known of), and t_min is moved down by what the smallest
// of n observations is expected to be above it.
enum class TailRule : std::uint8_t { Pareto, Auto, Lognormal, Empirical };

std::string_view name_of(TailRule rule);  // "pareto", "auto", "lognormal", "empirical"
std::optional<TailRule> tail_rule(std::string_view name);

inline constexpr double kPriorWeight = 5;
inline constexpr double kUsualSpread = 0.4;  // standard deviation of ln T: between quartiles of real stages
inline constexpr double kParetoHandicap = 2;
inline constexpr std::size_t kEnoughForEmpirical = 100;

// finished: execution times that are known, of running attempts by their pace too; censored: times that were not
// enough. Any one unit. `prior_weight`, above 0: what is usual counts as so many attempts that were seen; for callers
// that allow for the error of a fitted tail by themselves. Nothing when nothing is known. O(n log n), with few censored
// O(n).
std::optional<math::FittedTail> choose_tail(std::span<const double> finished, std::span<const double> censored,
                                            TailRule rule, double prior_weight = kPriorWeight);

}  // namespace ontime::scheduler::math
