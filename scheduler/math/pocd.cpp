#include "scheduler/math/pocd.h"

#include <cmath>

#include "scheduler/math/numeric.h"

namespace ontime::scheduler::math {

double ln_pocd(double ln_p, double tasks) { return times(tasks, ln_one_minus_exp(ln_p)); }

Pocd pocd_of_equal_tasks(double ln_p, double tasks) {
  const double ln_value = ln_pocd(ln_p, tasks);
  return {ln_p, ln_value, std::exp(ln_value), -std::expm1(ln_value)};
}

double ln_excess(const Pocd& pocd, double r_min) {
  if (r_min == 0) return pocd.ln_value;
  if (!(pocd.value > r_min)) return -kInfinity;
  const double lacking = pocd.miss + r_min;
  return lacking < 0.5 ? std::log1p(-lacking) : std::log(pocd.value - r_min);
}

}  // namespace ontime::scheduler::math
