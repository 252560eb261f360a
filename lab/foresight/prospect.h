#pragma once
// What is to be expected of one job of a scenario, from many runs of it.

#include <cstdint>
#include <span>
#include <vector>

#include "lab/simulator/outcome.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

// Times in seconds. Quantiles are over the runs.
struct Prospect {
  std::uint32_t runs = 0;
  Share pocd;       // of the runs that made the deadline; without one: that succeeded
  double mean = 0;  // completion time after submission
  double low = 0;   // 10 %
  double median = 0;
  double high = 0;  // 90 %
  Mean machine_time;
  double attempts = 0;             // mean
  std::vector<double> flow_times;  // ascending; of the runs in which it ended
};

// Of the one job of the first group, over seeds from `seed` on. REQUIRES: check(scenario), runs > 0.
Prospect foresee(const Scenario& scenario, std::uint32_t runs, std::uint64_t seed);

// The q-quantile of ascending values; infinite if there are none.
double ascending_quantile(std::span<const double> ascending, double q);

}  // namespace ontime::lab
