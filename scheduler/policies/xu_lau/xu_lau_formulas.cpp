#include <algorithm>
#include <cmath>

#include "scheduler/math/allocation.h"
#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/xu_lau/xu_lau.h"

namespace ontime::scheduler::xu_lau {

using namespace math;  // NOLINT: the formulas are written with nothing else

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

namespace {

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

double best_enhanced_limit(double alpha) { return best_detection_limit(alpha, 2); }

}  // namespace ontime::scheduler::xu_lau
