#pragma once
// PoCD: the probability of completion before the deadline. A job of N independent tasks makes it when no task misses.

namespace ontime::scheduler::math {

// All dimensionless. Logarithms are kept beside the values because R is 1.0 in double long before the miss is 0.
struct Pocd {
  double ln_p_task = 0;  // ln p, p: probability that one task misses the deadline
  double ln_value = 0;   // ln R
  double value = 1;      // R = (1 - p)^N
  double miss = 0;       // 1 - R
};

// ln R of `tasks` equal tasks, each missing with ln_p <= 0.
double ln_pocd(double ln_p, double tasks);

// The same with all its readings.
Pocd pocd_of_equal_tasks(double ln_p, double tasks);

// ln(R - r_min): -inf when R <= r_min, the utility's argument in Chronos eq. 26. Accurate when R is close to 1.
double ln_excess(const Pocd& pocd, double r_min);

}  // namespace ontime::scheduler::math
