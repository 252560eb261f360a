#include "scheduler/policies/xu_lau/xu_lau_formulas.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "scheduler/math/allocation.h"
#include "scheduler/math/numeric.h"
#include "scheduler/math/pareto.h"

namespace ontime::scheduler::pocd {

double cloned_job_time(const ClonedJob& job, double copies) {
  return Pareto(job.mu, job.alpha).minimum_of(copies).mean_of_maximum(job.tasks);
}

double cloned_task_time(const ClonedJob& job, double copies) {
  return Pareto(job.mu, job.alpha).minimum_of(copies).mean();
}

double cloned_machine_time(const ClonedJob& job, double copies) {
  return job.tasks * copies * cloned_task_time(job, copies);
}

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

namespace {

// d/dc of cloning_value: from E[d] by the digamma function, and of m c E[t] = m mu alpha c^2 / (alpha c - 1).
double value_slope(const ClonedJob& job, double c, double gamma) {
  const double k = job.alpha * c;
  const double shrinking = digamma((k - 1) / k) - digamma(job.tasks + (k - 1) / k);  // < 0
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

Ladder ladder_of(const ClonedJob& job, const CloneBudget& budget) {
  Ladder ladder{static_cast<std::uint64_t>(job.tasks), {}};
  for (std::uint32_t c = 1; c <= budget.copies_max; ++c) ladder.value.push_back(cloning_value(job, c, budget.gamma));
  return ladder;
}

}  // namespace

double cloning_value(const ClonedJob& job, double copies, double gamma) {
  return -cloned_job_time(job, copies) - gamma * cloned_machine_time(job, copies);
}

CloningPlan plan_cloning(std::span<const ClonedJob> jobs, const CloneBudget& budget) {
  std::vector<Ladder> ladders;
  std::uint64_t originals = 0;
  for (const ClonedJob& job : jobs) {
    ladders.push_back(ladder_of(job, budget));
    originals += ladders.back().step_cost;
  }
  const Climb climb = best_climb(ladders, budget.machines - std::min(originals, budget.machines));
  CloningPlan plan{{}, climb.value, climb.bound, originals};
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    plan.copies.push_back(climb.steps[i] + 1);
    plan.machines += climb.steps[i] * ladders[i].step_cost;
  }
  return plan;
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

namespace {

constexpr std::uint32_t kMostCopies = 8;

double mean_duration(double alpha) { return alpha / (alpha - 1); }  // E[x] / mu

// E[min(y, a)], y the fastest of c - 1 copies; without copies y is infinite.
double mean_of_copies_capped(double alpha, double copies, double a) {
  return Pareto(1, alpha * (copies - 1)).mean_capped(a);
}

}  // namespace

double straggler_cost(double alpha, double sigma, double copies) {
  const double a = sigma * mean_duration(alpha);
  // The straggler's own rest exceeds a and is Pareto(a, alpha): c E[min(rest, y)], integrated up to a and beyond.
  const double beyond = a * std::pow(a, -alpha * (copies - 1)) / (alpha * copies - 1);
  return copies * (mean_of_copies_capped(alpha, copies, a) + beyond);
}

double detection_cost(double alpha, double sigma, double copies, double s) {
  const double limit = sigma * mean_duration(alpha) / (1 - s);  // longer tasks are stragglers
  const Pareto task(1, alpha);
  const double straggles = task.survival(limit);
  const double in_time = limit > 1 ? alpha * power_integral(1, alpha, limit) : 0;  // E[x; x <= limit]
  return in_time + straggles * (s * task.mean_above(limit) + straggler_cost(alpha, sigma, copies));
}

double best_detection_limit(double alpha, double copies) {
  const double power = alpha * (copies - 1);
  // a - c E[min(y, a)] is convex; from above Newton's method comes down to its root without turning.
  double a = copies * Pareto(1, power).mean();
  for (int round = 0; round < 200; ++round) {
    const double excess = a - copies * mean_of_copies_capped(alpha, copies, a);
    const double next = a - excess / (1 - copies * std::pow(a, -power));
    if (!(next < a)) break;
    a = next;
  }
  return a / mean_duration(alpha);
}

DetectionRule best_detection_rule(double alpha) {
  const auto rule_for = [alpha](std::uint32_t copies) {
    const double sigma = best_detection_limit(alpha, copies);
    return DetectionRule{copies, sigma, detection_cost(alpha, sigma, copies, 0)};
  };
  DetectionRule best = rule_for(2);  // always better than no copy, if only by less than a double can tell
  for (std::uint32_t copies = 3; alpha < 2 && copies <= kMostCopies; ++copies) {
    const DetectionRule rule = rule_for(copies);
    if (rule.cost < best.cost) best = rule;
  }
  return best;
}

double mantri_detection_limit(double alpha, double delta) {
  return 2 * Pareto(1, alpha).quantile(delta) / mean_duration(alpha);
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

double best_enhanced_limit(double alpha) { return best_detection_limit(alpha, 2); }

}  // namespace ontime::scheduler::pocd
