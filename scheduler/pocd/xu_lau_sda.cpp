#include "scheduler/pocd/xu_lau_sda.h"

#include <cmath>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/pareto.h"

namespace ontime::scheduler::pocd {
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

}  // namespace ontime::scheduler::pocd
