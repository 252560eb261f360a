#include "scheduler/pocd/xu_lau_cutoff.h"

#include <cmath>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {
namespace {

// E[s^2] / (2 E[s]^2), alpha > 2
double half_second_moment(double alpha) { return (alpha - 1) * (alpha - 1) / (2 * alpha * (alpha - 2)); }

// The coefficient of omega in eq. 3's numerator.
double clone_coefficient(double alpha) {
  return (alpha - 1) * (1 - 4 * alpha * alpha + 4 * alpha) / (alpha * (2 * alpha - 1));
}

}  // namespace

double delay_without_copies(double alpha, double omega) {
  if (alpha <= 2 || omega >= 1) return kInfinity;
  return 1 + omega * half_second_moment(alpha) / (1 - omega);
}

double delay_with_clones(double alpha, double omega) {
  const double room = 2 * alpha - 1 - 4 * omega * (alpha - 1);
  if (!(room > 0)) return kInfinity;
  return (omega * clone_coefficient(alpha) + 2 * (alpha - 1)) / room;
}

double clone_saturation(double alpha) { return (2 * alpha - 1) / (4 * (alpha - 1)); }

double cutoff_load(double alpha) {
  if (alpha <= 2) return clone_saturation(alpha);
  // Eq. 1 = eq. 3, both sides times their denominators: a omega^2 + b omega + 1 = 0
  const double moment = half_second_moment(alpha);
  const double c = clone_coefficient(alpha);
  const double a = c - 4 * (alpha - 1) * (moment - 1);
  const double b = (moment - 1) * (2 * alpha - 1) - 2 * (alpha - 1) - c;
  // The sign is chosen so that nothing cancels; the two roots are half / a and 1 / half.
  const double half = -(b + std::copysign(std::sqrt(b * b - 4 * a), b)) / 2;
  const double one = half / a;
  const double other = 1 / half;
  if (one <= 0) return other;
  return other <= 0 ? one : std::fmin(one, other);
}

double cutoff_arrival_rate(double omega_u, double machines, double mean_tasks, double mean_duration) {
  return omega_u * machines / (mean_tasks * mean_duration);
}

}  // namespace ontime::scheduler::pocd
