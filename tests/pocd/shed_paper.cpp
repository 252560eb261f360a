#include "tests/pocd/shed_paper.h"

#include <algorithm>
#include <optional>

#include "scheduler/math/numeric.h"

namespace ontime::scheduler::shed {

using namespace math;  // NOLINT
namespace {

// The lowest index of those with the smallest value that may be chosen.
template <class MayBe, class Value>
std::optional<std::size_t> smallest(std::size_t count, MayBe may_be, Value value) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < count; ++i) {
    if (may_be(i) && (!found || value(i) < value(*found))) found = i;
  }
  return found;
}

double ln_pocd_with(const ShedJob& job, std::uint32_t r) { return ln_pocd(ln_miss(job, r), job.tasks); }

double ln_pocd_with(const JobOdds& job, const std::vector<std::uint32_t>& copies) {
  double sum = job.ln_rest;
  for (std::size_t i = 0; i < copies.size(); ++i) sum += job.stragglers[i].ln_pocd(copies[i]);
  return sum;
}

}  // namespace

double straggler_shape_as_printed(double t_rem, double phi, double t_min) {
  const double pole = slack(t_rem, 0, phi, t_min);
  return pole == 0 ? kInfinity : t_rem / pole;
}

JobOdds odds_of(const RunningJob& job) {
  JobOdds odds;
  for (const RunningTask& task : job.tasks) {
    const double ln_copy = ln_attempt_miss(task.beta, task.phi, job.t_min, job.deadline, job.tau);
    const TaskOdds one{ln_copy, ln_copy};
    if (task.straggler) {
      odds.stragglers.push_back(one);
    } else {
      odds.ln_rest += one.ln_pocd(0);
    }
  }
  return odds;
}

ShedGrant shed_listing(std::span<const ShedJob> jobs, std::int64_t kappa, CopyLimit limit, HopelessJobs hopeless) {
  ShedGrant grant;
  for (const ShedJob& job : jobs) {
    grant.r.push_back(0);
    grant.ln_pocd.push_back(ln_pocd_with(job, 0));
  }
  auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0));
  const auto may_be = [&](std::size_t j) {
    const auto cost = static_cast<std::uint64_t>(jobs[j].tasks);
    const bool is_lost = is_hopeless(jobs[j].phi, jobs[j].t_min, jobs[j].deadline, jobs[j].tau);
    return (hopeless == HopelessJobs::Feed || !is_lost) && cost > 0 && cost <= left && may_grow(grant.r[j], limit);
  };
  while (const auto j = smallest(jobs.size(), may_be, [&](std::size_t i) { return grant.ln_pocd[i]; })) {
    left -= static_cast<std::uint64_t>(jobs[*j].tasks);
    grant.total.copies += static_cast<std::uint64_t>(jobs[*j].tasks);
    grant.ln_pocd[*j] = ln_pocd_with(jobs[*j], ++grant.r[*j]);
  }
  return grant;
}

ShedPlusGrant shed_plus_listing(std::span<const JobOdds> jobs, std::int64_t kappa, CopyLimit limit,
                                HopelessJobs hopeless) {
  ShedPlusGrant grant;
  for (const JobOdds& job : jobs) {
    grant.copies.emplace_back(job.stragglers.size());
    grant.ln_pocd.push_back(ln_pocd_with(job, grant.copies.back()));
  }
  const auto next_task = [&](std::size_t j) {
    return smallest(
        jobs[j].stragglers.size(), [&](std::size_t i) { return may_grow(grant.copies[j][i], limit); },
        [&](std::size_t i) { return jobs[j].stragglers[i].ln_pocd(grant.copies[j][i]); });
  };
  const auto may_be = [&](std::size_t j) {
    return (hopeless == HopelessJobs::Feed || !jobs[j].is_hopeless()) && next_task(j).has_value();
  };
  while (static_cast<std::int64_t>(grant.total.copies) < kappa) {
    const auto j = smallest(jobs.size(), may_be, [&](std::size_t i) { return grant.ln_pocd[i]; });
    if (!j) break;
    ++grant.copies[*j][*next_task(*j)];
    ++grant.total.copies;
    grant.ln_pocd[*j] = ln_pocd_with(jobs[*j], grant.copies[*j]);
  }
  return grant;
}

}  // namespace ontime::scheduler::shed
