#include "scheduler/policies/shed/shed_formulas.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "scheduler/math/allocation.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler::pocd {

double ln_attempt_miss(double beta, double phi, double t_min, double deadline, double tau) {
  const double ln = ln_share_of_time(deadline, tau, phi, t_min);
  return ln < 0 ? beta * ln : 0;
}

double ln_miss(const ShedJob& job, double r) {
  return times(r + 1, ln_attempt_miss(job.beta, job.phi, job.t_min, job.deadline, job.tau));
}

Pocd shed_pocd(const ShedJob& job, double r) { return pocd_of_equal_tasks(ln_miss(job, r), job.tasks); }

bool is_hopeless(double phi, double t_min, double deadline, double tau) {
  return !(deadline > tau) || slack(deadline, tau, phi, t_min) <= 0;
}

double straggler_shape(double t_rem, double phi, double t_min) {
  const double pole = slack(t_rem, 0, phi, t_min);
  const double shape = t_rem / pole;
  return pole != 0 && shape > 0 ? shape : kInfinity;
}

double check_interval(double deadline, double t_avg, double theta_prime) {
  return (deadline - t_avg) * theta_prime + t_avg;
}

namespace {

bool cannot_be_saved(const ShedJob& job) { return is_hopeless(job.phi, job.t_min, job.deadline, job.tau); }

std::uint64_t task_count(const ShedJob& job) { return static_cast<std::uint64_t>(job.tasks); }

double ln_pocd_with(const ShedJob& job, std::uint32_t r) { return ln_pocd(ln_miss(job, r), job.tasks); }

// A further copy could not be told from none.
bool is_certain(double ln_pocd) { return ln_pocd > -1e-300; }

Ladder ladder_of(const ShedJob& job, std::uint64_t kappa, CopyLimit limit, Objective objective) {
  Ladder ladder{std::max<std::uint64_t>(1, task_count(job)), {}};
  const std::uint64_t fits = kappa / ladder.step_cost;
  double ln = ln_pocd_with(job, 0);
  for (std::uint32_t r = 0;; ++r) {
    ladder.value.push_back(objective == Objective::SumPocd ? std::exp(ln) : ln);
    if (cannot_be_saved(job) || r == fits || !may_grow(r, limit) || is_certain(ln)) break;
    ln = ln_pocd_with(job, r + 1);
  }
  if (cannot_be_saved(job)) ladder.value.front() = 0;  // left out of the sum
  return ladder;
}

// The smallest R among the jobs that can be saved; 0 if there is none.
double smallest_savable(std::span<const ShedJob> jobs, const std::vector<double>& ln_pocd) {
  double smallest = kInfinity;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!cannot_be_saved(jobs[i])) smallest = std::min(smallest, ln_pocd[i]);
  }
  return smallest == kInfinity ? 0 : std::exp(smallest);
}

ShedGrant grant_of(std::span<const ShedJob> jobs, std::vector<std::uint32_t> r) {
  ShedGrant grant{std::move(r), {}, {}};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    grant.ln_pocd.push_back(ln_pocd_with(jobs[i], grant.r[i]));
    grant.total.copies += grant.r[i] * task_count(jobs[i]);
  }
  return grant;
}

// One copy per task at a time to the job with the smallest R_j until nothing fits. Max-min optimal because the jobs
// that no allocation can save are left out; the paper's listing feeds them first, since their R_j stays 0.
ShedGrant feed_the_smallest(std::span<const ShedJob> jobs, std::int64_t kappa, CopyLimit limit) {
  using Turn = std::pair<double, std::size_t>;  // ln R_j, j: the smallest first, the lowest index on ties
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!cannot_be_saved(jobs[i])) turns.emplace(ln_pocd_with(jobs[i], 0), i);
  }
  std::vector<std::uint32_t> r(jobs.size());
  auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0));  // kappa - omega
  while (!turns.empty()) {
    const std::size_t i = turns.top().second;
    turns.pop();
    const std::uint64_t cost = task_count(jobs[i]);
    if (cost == 0 || cost > left || !may_grow(r[i], limit)) continue;
    left -= cost;
    turns.emplace(ln_pocd_with(jobs[i], ++r[i]), i);
  }
  ShedGrant grant = grant_of(jobs, std::move(r));
  grant.total.value = grant.total.bound = smallest_savable(jobs, grant.ln_pocd);
  grant.total.exact = true;
  return grant;
}

}  // namespace

ShedGrant allocate_shed(std::span<const ShedJob> jobs, std::int64_t kappa, CopyLimit limit, Objective objective) {
  if (objective == Objective::MaxMin) return feed_the_smallest(jobs, kappa, limit);
  const auto capacity = static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0));
  std::vector<Ladder> ladders;
  for (const ShedJob& job : jobs) ladders.push_back(ladder_of(job, capacity, limit, objective));
  const Climb climb = best_climb(ladders, capacity);
  ShedGrant grant = grant_of(jobs, climb.steps);
  grant.total.value = climb.value;
  grant.total.bound = climb.bound;
  grant.total.exact = climb.exact;
  return grant;
}

}  // namespace ontime::scheduler::pocd
