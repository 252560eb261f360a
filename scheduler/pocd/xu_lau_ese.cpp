#include "scheduler/pocd/xu_lau_ese.h"

#include <algorithm>
#include <cmath>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/xu_lau_sda.h"

namespace ontime::scheduler::pocd {

double enhanced_machine_time(double alpha, double sigma) {
  const double mean = alpha / (alpha - 1);
  const double a = sigma * mean;
  const double start = std::max(a, 1.0);  // a task must last longer than this to be found slow
  // Integral over t > start of t^j times the density.
  const auto moment = [&](double j) { return alpha * std::pow(start, j - alpha) / (alpha - j); };
  // Eq. 31: tasks that end before they are slow
  const double in_time = start > 1 ? alpha * power_integral(1, alpha, start) : 0;
  // Eq. 32: a, and the mean of x over looking instants x in [0, t - a], together (t^2 + a^2) / (2 t)
  const double original = moment(1) / 2 + a * a * moment(-1) / 2;
  // Eq. 32: 2/t times the integral of E[min(w, t_new)], eq. 33, over remaining times w from a to t; its part below
  // mu, where no copy can be done, and its part above, E[x] - w^(1 - alpha) / (alpha - 1).
  const double below = (start * start - a * a) * moment(-1);
  const double above = 2 * mean * (moment(0) - start * moment(-1)) -
                       2 * alpha * std::pow(start, 1 - 2 * alpha) / ((alpha - 1) * (2 * alpha - 1) * (alpha + 1));
  return in_time + original + below + above;
}

double best_enhanced_limit(double alpha) { return best_detection_limit(alpha, 2); }

}  // namespace ontime::scheduler::pocd
