#pragma once
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

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "scheduler/math/fitted_tail.h"

namespace ontime::scheduler::math {

enum class TailRule : std::uint8_t { Pareto, Auto, Lognormal, Empirical };

std::string_view name_of(TailRule rule);  // "pareto", "auto", "lognormal", "empirical"
std::optional<TailRule> tail_rule(std::string_view name);

inline constexpr double kPriorWeight = 5;
inline constexpr double kUsualSpread = 0.4;  // standard deviation of ln T: between quartiles of real stages
inline constexpr double kParetoHandicap = 2;
inline constexpr std::size_t kEnoughForEmpirical = 100;

// finished: execution times that are known, of running attempts by their pace too; censored: times that were not
// enough. Any one unit. Nothing when nothing is known. O(n log n), with few censored O(n).
std::optional<math::FittedTail> choose_tail(std::span<const double> finished, std::span<const double> censored,
                                            TailRule rule);

// choose_tail() with a prior of another weight, for callers that allow for the error of a fitted tail by themselves.

// `prior_weight`: what is usual counts as so many attempts that were seen. > 0.
std::optional<math::FittedTail> choose_tail(std::span<const double> finished, std::span<const double> censored,
                                            TailRule rule, double prior_weight);

}  // namespace ontime::scheduler::math
