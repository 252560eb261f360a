#pragma once
// Clusters on which forecasts are put to the test: one to eight waves, even and uneven splits, one and many jobs, known
// and unknown durations, attempts that hold their speed and attempts that do not.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/campaigns/real_stages.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

// What durations are like. A task takes 20 s in the median.
//   pareto      shape 2
//   lognormal   spread 0.3
//   stragglers  within a tenth of each other, but one in ten takes four times as long
//   changing    lognormal with spread 0.5, drawn anew every 10 s on average while an attempt runs
//   nodes       lognormal with spread 0.2, times the slowness of the node: lognormal with spread 0.3
//   real        a stage that was measured (real_stages.h), another one for each seed
std::span<const std::string_view> forecast_worlds();

struct ForecastCase {
  std::string policy = "none";
  std::string world = "lognormal";
  std::uint32_t waves = 1;
  bool even = true;      // splits
  bool many = false;     // jobs that come one after another at a load of 0.8; else one alone
  bool known = true;     // the durations, from earlier jobs
  std::uint64_t seed = 1;
  std::vector<double> deadlines;  // by job; empty: none
};

inline constexpr std::uint32_t kForecastJobsMany = 6;

// A group for each job. REQUIRES: the world is one of those above; stages are not empty.
Scenario forecast_scenario(const ForecastCase& what, std::span<const Stage> stages);

}  // namespace ontime::lab
