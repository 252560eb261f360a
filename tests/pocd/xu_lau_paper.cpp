#include "tests/pocd/xu_lau_paper.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <functional>

#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler::xu_lau {

using namespace math;  // NOLINT
namespace {

// E[s^2] / (2 E[s]^2), alpha > 2
double half_second_moment(double alpha) { return (alpha - 1) * (alpha - 1) / (2 * alpha * (alpha - 2)); }

// The coefficient of omega in eq. 3's numerator.
double clone_coefficient(double alpha) {
  return (alpha - 1) * (1 - 4 * alpha * alpha + 4 * alpha) / (alpha * (2 * alpha - 1));
}

// d/dc of cloning_value: from E[d] by the digamma function, and of m c E[t] = m mu alpha c^2 / (alpha c - 1).
double value_slope(const ClonedJob& job, double c, double gamma) {
  const double k = job.alpha * c;
  const double shrinking = boost::math::digamma((k - 1) / k) - boost::math::digamma(job.tasks + (k - 1) / k);  // < 0
  const double time_slope = cloned_job_time(job, c) * job.alpha * shrinking / (k * k);
  const double machine_slope = job.tasks * job.mu * k * (k - 2) / ((k - 1) * (k - 1));
  return -time_slope - gamma * machine_slope;
}

// The x in [low, high] at which a falling function passes 0, or the end nearest to it.
double falling_root(const std::function<double(double)>& f, double low, double high) {
  if (f(low) <= 0) return low;
  if (f(high) >= 0) return high;
  for (int round = 0; round < 100; ++round) {
    const double middle = low + (high - low) / 2;
    (f(middle) > 0 ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

// c of every job when a machine costs nu.
std::vector<double> copies_at_price(std::span<const ClonedJob> jobs, const CloneBudget& budget, double nu) {
  std::vector<double> copies;
  for (const ClonedJob& job : jobs) {
    const auto gain = [&](double c) { return value_slope(job, c, budget.gamma) - nu * job.tasks; };
    copies.push_back(falling_root(gain, 1, budget.copies_max));
  }
  return copies;
}

double machines_used(std::span<const ClonedJob> jobs, const std::vector<double>& copies) {
  double sum = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) sum += jobs[i].tasks * copies[i];
  return sum;
}

}  // namespace

double delay_without_copies(double alpha, double omega) {
  if (omega <= 0) return 1;
  if (alpha <= 2 || omega >= 1) return kInfinity;
  return 1 + omega * half_second_moment(alpha) / (1 - omega);
}

double delay_with_clones(double alpha, double omega) {
  const double room = 2 * alpha - 1 - 4 * omega * (alpha - 1);
  if (!(room > 0)) return kInfinity;
  return (omega * clone_coefficient(alpha) + 2 * (alpha - 1)) / room;
}

RelaxedCloningPlan relax_cloning(std::span<const ClonedJob> jobs, const CloneBudget& budget) {
  const auto capacity = static_cast<double>(budget.machines);
  double dearest = 0;  // at this price nobody clones
  for (const ClonedJob& job : jobs) dearest = std::max(dearest, value_slope(job, 1, budget.gamma) / job.tasks);
  const auto excess = [&](double nu) { return machines_used(jobs, copies_at_price(jobs, budget, nu)) - capacity; };
  const double nu = falling_root(excess, 0, dearest);
  RelaxedCloningPlan plan{copies_at_price(jobs, budget, nu), 0, nu};
  for (std::size_t i = 0; i < jobs.size(); ++i) plan.value += cloning_value(jobs[i], plan.copies[i], budget.gamma);
  return plan;
}

double mantri_detection_limit(double alpha, double delta) {
  return 2 * Pareto(1, alpha).quantile(delta) / (alpha / (alpha - 1));
}

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

}  // namespace ontime::scheduler::xu_lau
