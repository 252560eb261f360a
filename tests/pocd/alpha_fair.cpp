#include "tests/pocd/alpha_fair.h"

#include <cmath>

namespace ontime::scheduler::math {

double alpha_fair_utility(double p, double alpha) {
  if (alpha == 1) return std::log(p);
  return std::pow(p, 1 - alpha) / (1 - alpha);
}

double alpha_fair_utility_ln(double ln_p, double alpha) {
  if (alpha == 1) return ln_p;
  return std::exp((1 - alpha) * ln_p) / (1 - alpha);
}

}  // namespace ontime::scheduler::math
