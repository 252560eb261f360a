#pragma once
// The cluster in which dividing is compared with copying: one-slot nodes, Poisson arrivals of jobs of ten tasks, whose
// deadline is a multiple of the shortest possible execution time of a task.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

// What durations are like.
//   pareto     Pareto(t_min, beta 1.5), attempts independent, speeds constant
//   sticky     the same, but four fifths of an attempt's luck is its node's
//   changing   the same, but an attempt's speed is drawn anew every t_min on average
//   lognormal  median 2 t_min, sigma 0.8, attempts independent, speeds constant
//   mixed      as pareto, but nodes differ: their slowness is lognormal, sigma 0.5
//   unknown    as pareto, but the policy does not know t_min and beta
struct DivisionCase {
  std::string world = "pareto";
  std::string policy = "split-resume";
  scheduler::StringMap parameters;  // of the policy, beside the durations
  double deadline = 1.2;            // in t_min
  double load = 0.4;
  std::uint32_t jobs = 200;
  double t_min = 120;
  double launch = 2;
  std::uint32_t nodes = 138;
  bool kill_on_miss = false;
};

std::vector<std::string_view> division_worlds();

// BadInput for a world that there is not.
Result<Scenario> division_scenario(const DivisionCase& what);

}  // namespace ontime::lab
