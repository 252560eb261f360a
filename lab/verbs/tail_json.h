#pragma once
// A distribution of execution times, for programs.

#include <nlohmann/json.hpp>

#include "lab/foresight/fitted_durations.h"

namespace ontime::lab {

// {"kind": "pareto", "median_seconds": 2.8, "t_min_seconds": 2, "beta": 2}; lognormal has sigma, empirical its ninth
// decile and the slope behind it. REQUIRES: the tail is of seconds.
nlohmann::ordered_json tail_json(const scheduler::math::FittedTail& tail);

}  // namespace ontime::lab
