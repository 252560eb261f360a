#pragma once
// What execution times a policy went by, for people: "t_min 1.9 s and beta 1.8 from the profile (214 attempts, beta +-
// 0.12)".

#include <string>

#include "scheduler/math/durations.h"

namespace ontime::scheduler {

// split_bytes: of a whole split, which t_min is for.
std::string duration_words(const math::Durations& durations, const math::DurationHints& hints, double split_bytes);

// Without where it comes from: "lognormal times, median 12.3 s, sigma 0.41". For so many of the units that it speaks
// of.
std::string tail_words(const math::FittedTail& tail, double units);

// Three significant digits: "0.000123", "1.9", "2e+06".
std::string short_number(double value);

}  // namespace ontime::scheduler
