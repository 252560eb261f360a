#include "scheduler/pocd/xu_lau_p2.h"

#include <algorithm>
#include <functional>

#include "scheduler/pocd/ladder.h"
#include "scheduler/pocd/quadrature.h"

namespace ontime::scheduler::pocd {
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

}  // namespace ontime::scheduler::pocd
