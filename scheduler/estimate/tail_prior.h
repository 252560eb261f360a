#pragma once
// choose_tail() with a prior of another weight, for callers that allow for the error of a fitted tail by themselves.

#include <optional>
#include <span>

#include "scheduler/estimate/tail_choice.h"

namespace ontime::scheduler::estimate {

// `prior_weight`: what is usual counts as so many attempts that were seen. > 0.
std::optional<pocd::FittedTail> choose_tail(std::span<const double> finished, std::span<const double> censored,
                                            TailRule rule, double prior_weight);

}  // namespace ontime::scheduler::estimate
