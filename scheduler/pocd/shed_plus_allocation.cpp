#include "scheduler/pocd/shed_plus_allocation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/ladder.h"
#include "scheduler/pocd/shed_plus_gains.h"
#include "scheduler/pocd/shed_pocd.h"

namespace ontime::scheduler::pocd {
namespace {

std::uint64_t slots(std::int64_t kappa) { return static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0)); }

double smallest_savable(std::span<const JobOdds> jobs, const std::vector<double>& ln_pocd) {
  double smallest = kInfinity;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (!jobs[j].is_hopeless()) smallest = std::min(smallest, ln_pocd[j]);
  }
  return smallest == kInfinity ? 0 : std::exp(smallest);
}

// The value of every number of copies when they are placed best within the job.
Ladder ladder_of(const JobOdds& job, std::uint64_t capacity, CopyLimit limit) {
  constexpr double kCertain = 1e-17;  // R = 1 in double
  if (job.is_hopeless()) return {1, {0}};
  JobGrowth growth(job, limit, NextCopy::BestGain);
  Ladder ladder{1, {std::exp(growth.ln_pocd())}};
  while (growth.can_grow() && ladder.value.size() <= capacity && growth.ln_pocd() < -kCertain) {
    growth.grow();
    ladder.value.push_back(std::exp(growth.ln_pocd()));
  }
  return ladder;
}

ShedPlusGrant maximise_sum(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit) {
  std::vector<Ladder> ladders;
  for (const JobOdds& job : jobs) ladders.push_back(ladder_of(job, kappa, limit));
  const Climb climb = best_climb(ladders, kappa);
  ShedPlusGrant grant;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    JobGrowth growth(jobs[j], limit, NextCopy::BestGain);
    for (std::uint32_t step = 0; step < climb.steps[j]; ++step) growth.grow();
    grant.copies.push_back(growth.copies());
    grant.ln_pocd.push_back(growth.ln_pocd());
    grant.total.copies += climb.steps[j];
  }
  grant.total.value = climb.value;
  grant.total.bound = climb.bound;
  grant.total.exact = climb.exact;
  return grant;
}

// One copy at a time to the job with the smallest R_j. With the best placement inside the jobs this is max-min optimal:
// whatever beats the smallest R must give that job at least as many copies.
ShedPlusGrant feed_the_smallest(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit, NextCopy rule,
                                HopelessJobs hopeless) {
  using Turn = std::pair<double, std::size_t>;  // ln R_j, j
  std::vector<JobGrowth> growth;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  growth.reserve(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    growth.emplace_back(jobs[j], limit, rule);
    const bool fed = hopeless == HopelessJobs::Feed || !jobs[j].is_hopeless();
    if (fed && growth[j].can_grow()) turns.emplace(growth[j].ln_pocd(), j);
  }
  ShedPlusGrant grant;
  while (!turns.empty() && grant.total.copies < kappa) {
    const std::size_t j = turns.top().second;
    turns.pop();
    growth[j].grow();
    ++grant.total.copies;
    if (growth[j].can_grow()) turns.emplace(growth[j].ln_pocd(), j);
  }
  for (const JobGrowth& job : growth) {
    grant.copies.push_back(job.copies());
    grant.ln_pocd.push_back(job.ln_pocd());
  }
  grant.total.value = smallest_savable(jobs, grant.ln_pocd);
  grant.total.exact = hopeless == HopelessJobs::Skip && rule == NextCopy::BestGain;
  grant.total.bound = grant.total.exact ? grant.total.value : 1;
  return grant;
}

}  // namespace

JobOdds odds_of(const RunningJob& job, RestOfJob rest) {
  JobOdds odds;
  for (const RunningTask& task : job.tasks) {
    if (!task.straggler && rest == RestOfJob::OnlyWhetherLost) {
      const bool lost = task.kept_will_miss || is_hopeless(task.phi, job.t_min, job.deadline, job.tau);
      if (lost) odds.ln_rest = -kInfinity;
      continue;
    }
    const double ln_copy = ln_attempt_miss(task.beta, task.phi, job.t_min, job.deadline, job.tau);
    const TaskOdds one{task.kept_will_miss ? 0 : ln_copy, ln_copy};
    if (task.straggler) {
      odds.stragglers.push_back(one);
    } else {
      odds.ln_rest += one.ln_pocd(0);
    }
  }
  return odds;
}

ShedPlusGrant allocate_shed_plus(std::span<const JobOdds> jobs, std::int64_t kappa, CopyLimit limit,
                                 Objective objective) {
  switch (objective) {
    case Objective::SumPocd:
      return maximise_sum(jobs, slots(kappa), limit);
    case Objective::SumLog:
      return maximise_sum_of_ln(jobs, slots(kappa), limit);
    case Objective::MaxMin:
      return feed_the_smallest(jobs, slots(kappa), limit, NextCopy::BestGain, HopelessJobs::Skip);
  }
  return {};
}

ShedPlusGrant shed_plus_listing(std::span<const JobOdds> jobs, std::int64_t kappa, CopyLimit limit,
                                HopelessJobs hopeless) {
  return feed_the_smallest(jobs, slots(kappa), limit, NextCopy::LeastLikely, hopeless);
}

}  // namespace ontime::scheduler::pocd
