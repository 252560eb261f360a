#include "scheduler/pocd/normal.h"

#include <cmath>
#include <numbers>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {
namespace {

const double kLnSqrt2Pi = 0.5 * std::log(2 * std::numbers::pi);

// Laplace's continued fraction of the Mills ratio P(Z > z) / density(z); for z >= 5 sixty levels are exact in double.
double mills_ratio(double z) {
  double fraction = z;
  for (int level = 60; level > 0; --level) fraction = z + level / fraction;
  return 1 / fraction;
}

}  // namespace

double ln_normal_survival(double z) {
  if (z < -1) return std::log1p(-0.5 * std::erfc(-z / std::numbers::sqrt2));
  if (z < 5) return std::log(0.5 * std::erfc(z / std::numbers::sqrt2));
  return -0.5 * z * z - kLnSqrt2Pi + std::log(mills_ratio(z));
}

double normal_hazard(double z) {
  if (z >= 5) return 1 / mills_ratio(z);
  return std::exp(-0.5 * z * z - kLnSqrt2Pi - ln_normal_survival(z));
}

double normal_quantile(double q) {
  if (q <= 0) return -kInfinity;
  if (q >= 1) return kInfinity;
  // Newton's method on ln P(Z > z), which is concave: after its first step it comes down from above without turning.
  const double target = q < 0.5 ? std::log(q) : std::log1p(-q);
  double z = 0;
  for (int round = 0; round < 100; ++round) {
    const double step = (ln_normal_survival(z) - target) / normal_hazard(z);
    z += step;
    if (std::abs(step) <= 1e-15 * z) break;
  }
  return q < 0.5 ? -z : z;
}

}  // namespace ontime::scheduler::pocd
