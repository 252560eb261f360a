// The grants: never above kappa, never worse than any other grant in scenarios small enough to try them all.
#include "scheduler/math/allocation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "scheduler/policies/shed/shed.h"
#include "tests/pocd/generators.h"

namespace ontime::scheduler::test {
namespace {

using namespace math;     // NOLINT
using namespace chronos;  // NOLINT
using namespace shed;     // NOLINT

constexpr std::uint32_t kMost = 3;

Objective any_objective() { return *rc::gen::element(Objective::SumPocd, Objective::SumLog, Objective::MaxMin); }

double worth_of(const std::vector<double>& ln_pocd, const std::vector<bool>& hopeless, Objective objective) {
  double sum = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < ln_pocd.size(); ++j) {
    if (hopeless[j]) continue;
    sum += objective == Objective::SumPocd ? std::exp(ln_pocd[j]) : ln_pocd[j];
    smallest = std::min(smallest, ln_pocd[j]);
  }
  if (objective != Objective::MaxMin) return sum;
  return std::isinf(smallest) && smallest > 0 ? 0 : std::exp(smallest);
}

// Calls `visit` with every vector of `size` numbers 0..kMost.
void for_every_vector(std::size_t size, const std::function<void(const std::vector<std::uint32_t>&)>& visit) {
  std::vector<std::uint32_t> all(size);
  for (;;) {
    visit(all);
    std::size_t i = 0;
    while (i < size && all[i] == kMost) all[i++] = 0;
    if (i == size) return;
    ++all[i];
  }
}

bool agree(double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * (1e-3 + std::abs(a)); }

double best_shed_worth(const std::vector<ShedJob>& jobs, std::int64_t kappa, Objective objective) {
  std::vector<bool> hopeless;
  for (const ShedJob& job : jobs) hopeless.push_back(is_hopeless(job.phi, job.t_min, job.deadline, job.tau));
  double best = -std::numeric_limits<double>::infinity();
  for_every_vector(jobs.size(), [&](const std::vector<std::uint32_t>& r) {
    double cost = 0;
    std::vector<double> ln;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      cost += r[j] * jobs[j].tasks;
      ln.push_back(shed_pocd(jobs[j], r[j]).ln_value);
    }
    if (cost <= static_cast<double>(std::max<std::int64_t>(kappa, 0))) {
      best = std::max(best, worth_of(ln, hopeless, objective));
    }
  });
  return best;
}

RC_GTEST_PROP(ShedAllocation, EqualsTheBestOfAllGrants, ()) {
  std::vector<ShedJob> jobs;
  const int count = *rc::gen::inRange(1, 5);
  for (int j = 0; j < count; ++j) jobs.push_back(any_shed_job(6));
  const auto kappa = *rc::gen::inRange<std::int64_t>(-3, 40);
  const Objective objective = any_objective();
  const ShedGrant grant = allocate_shed(jobs, kappa, kMost, objective);
  RC_ASSERT(grant.total.copies <= static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0)));
  RC_ASSERT(agree(grant.total.value, best_shed_worth(jobs, kappa, objective)));
}

struct Plus {
  std::vector<JobOdds> jobs;
  std::size_t stragglers = 0;
  std::vector<bool> hopeless;
};

Plus any_plus(std::size_t most_stragglers) {
  Plus plus;
  const int count = *rc::gen::inRange(1, 4);
  for (int j = 0; j < count; ++j) {
    JobOdds odds = odds_of(any_running_job(3));
    if (plus.stragglers + odds.stragglers.size() > most_stragglers) break;
    plus.stragglers += odds.stragglers.size();
    plus.hopeless.push_back(odds.is_hopeless());
    plus.jobs.push_back(std::move(odds));
  }
  return plus;
}

double best_plus_worth(const Plus& plus, std::int64_t kappa, Objective objective) {
  double best = -std::numeric_limits<double>::infinity();
  for_every_vector(plus.stragglers, [&](const std::vector<std::uint32_t>& copies) {
    std::size_t next = 0;
    std::int64_t cost = 0;
    std::vector<double> ln;
    for (const JobOdds& job : plus.jobs) {
      ln.push_back(job.ln_rest);
      for (const TaskOdds& task : job.stragglers) {
        cost += copies[next];
        ln.back() += task.ln_pocd(copies[next++]);
      }
    }
    if (cost <= std::max<std::int64_t>(kappa, 0)) best = std::max(best, worth_of(ln, plus.hopeless, objective));
  });
  return best;
}

RC_GTEST_PROP(ShedPlusAllocation, EqualsTheBestOfAllGrants, ()) {
  const Plus plus = any_plus(5);
  const auto kappa = *rc::gen::inRange<std::int64_t>(-3, 16);
  const Objective objective = any_objective();
  const ShedPlusGrant grant = allocate_shed_plus(plus.jobs, kappa, kMost, objective);
  RC_ASSERT(grant.total.exact);
  RC_ASSERT(agree(grant.total.value, best_plus_worth(plus, kappa, objective)));
}

// Whatever is asked for: kappa holds, MAX holds, hopeless jobs get nothing, the books balance.
void assert_sound(const Plus& plus, const ShedPlusGrant& grant, std::int64_t kappa, std::uint32_t limit,
                  bool skipping) {
  std::uint64_t copies = 0;
  for (std::size_t j = 0; j < plus.jobs.size(); ++j) {
    double ln = plus.jobs[j].ln_rest;
    for (std::size_t i = 0; i < plus.jobs[j].stragglers.size(); ++i) {
      RC_ASSERT(grant.copies[j][i] <= limit);
      if (skipping && plus.hopeless[j]) RC_ASSERT(grant.copies[j][i] == 0U);
      copies += grant.copies[j][i];
      ln += plus.jobs[j].stragglers[i].ln_pocd(grant.copies[j][i]);
    }
    RC_ASSERT(agree(grant.ln_pocd[j], ln));
  }
  RC_ASSERT(copies == grant.total.copies);
  RC_ASSERT(copies <= static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0)));
}

RC_GTEST_PROP(ShedPlusAllocation, IsSoundForAnyInput, ()) {
  const Plus plus = any_plus(12);
  const auto kappa = *rc::gen::inRange<std::int64_t>(-3, 60);
  const auto limit = *rc::gen::inRange(0U, 7U);
  assert_sound(plus, allocate_shed_plus(plus.jobs, kappa, limit, any_objective()), kappa, limit, true);
  assert_sound(plus, shed_plus_listing(plus.jobs, kappa, limit, HopelessJobs::Skip), kappa, limit, true);
  assert_sound(plus, shed_plus_listing(plus.jobs, kappa, limit, HopelessJobs::Feed), kappa, limit, false);
}

RC_GTEST_PROP(ShedPlusAllocation, SavesTheMostJobsWhenKeptAttemptsAreSureToMiss, ()) {
  Plus plus = any_plus(5);
  for (JobOdds& job : plus.jobs) {
    for (TaskOdds& task : job.stragglers) {
      if (*rc::gen::arbitrary<bool>()) task.ln_kept = 0;
    }
  }
  const auto kappa = *rc::gen::inRange<std::int64_t>(0, 10);
  const auto saved_by = [&](Objective objective) {
    const ShedPlusGrant grant = allocate_shed_plus(plus.jobs, kappa, kMost, objective);
    assert_sound(plus, grant, kappa, kMost, true);
    return std::count_if(grant.ln_pocd.begin(), grant.ln_pocd.end(), [](double ln) { return std::isfinite(ln); });
  };
  std::ptrdiff_t most = 0;
  for_every_vector(plus.stragglers, [&](const std::vector<std::uint32_t>& copies) {
    std::size_t next = 0;
    std::int64_t cost = 0;
    std::ptrdiff_t saved = 0;
    for (const JobOdds& job : plus.jobs) {
      double ln = job.ln_rest;
      for (const TaskOdds& task : job.stragglers) {
        cost += copies[next];
        ln += task.ln_pocd(copies[next++]);
      }
      saved += std::isfinite(ln) ? 1 : 0;
    }
    if (cost <= kappa) most = std::max(most, saved);
  });
  RC_ASSERT(saved_by(Objective::SumLog) == most);
}

TEST(ShedPlusAllocation, ServesTheJobsThatLackFewestCopiesFirst) {
  const TaskOdds lost{0, -1};
  const std::vector<JobOdds> jobs = {{0, {lost, lost, lost}}, {0, {lost}}, {0, {lost, lost}}};
  const ShedPlusGrant grant = allocate_shed_plus(jobs, 4, 5, Objective::SumLog);
  EXPECT_EQ(grant.ln_pocd[0], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(grant.ln_pocd[1]));
  EXPECT_TRUE(std::isfinite(grant.ln_pocd[2]));
  EXPECT_EQ(grant.total.copies, 4U);
}

TEST(ShedPlusListing, GivesAllCopiesToTheLeastLikelyTask) {
  // ERRATA SP-4: miss probabilities 0.8 and 0.5, three copies: the listing's (3, 0) against the best (2, 1).
  const std::vector<JobOdds> jobs = {{0, {{std::log(0.8), std::log(0.8)}, {std::log(0.5), std::log(0.5)}}}};
  EXPECT_EQ(shed_plus_listing(jobs, 3, 5, HopelessJobs::Feed).copies[0], (std::vector<std::uint32_t>{3, 0}));
  const ShedPlusGrant best = allocate_shed_plus(jobs, 3, 5, Objective::SumLog);
  EXPECT_EQ(best.copies[0], (std::vector<std::uint32_t>{2, 1}));
  EXPECT_NEAR(std::exp(best.ln_pocd[0]), 0.366, 5e-4);
}

TEST(ShedListing, FeedsHopelessJobsFirstUnlessTheyAreSkipped) {
  // ERRATA SH-3
  const std::vector<ShedJob> jobs = {{2, 60, 1.5, 100, 70, 0.2}, {4, 60, 1.5, 200, 0, 0}};
  const std::int64_t kappa = copies_available(1, 20, 6, 2);
  EXPECT_EQ(shed_listing(jobs, kappa, {}, HopelessJobs::Feed).r, (std::vector<std::uint32_t>{6, 0}));
  EXPECT_EQ(shed_listing(jobs, kappa, {}, HopelessJobs::Skip).r, (std::vector<std::uint32_t>{0, 3}));
}

TEST(CopiesAvailable, ReadsLambdaAsADecimalFraction) {
  EXPECT_EQ(copies_available(0.29, 100, 20, 2), 7);
  EXPECT_EQ(copies_available(1, 2, 20, 3), -21);
}

std::vector<Ladder> any_ladders() {
  std::vector<Ladder> ladders(static_cast<std::size_t>(*rc::gen::inRange(1, 12)));
  for (Ladder& ladder : ladders) {
    ladder.step_cost = *rc::gen::inRange<std::uint64_t>(1, 5);
    const int steps = *rc::gen::inRange(0, 8);
    for (int i = 0; i <= steps; ++i) ladder.value.push_back(any_real(-1, 1));
  }
  return ladders;
}

std::uint64_t cost_of(const std::vector<Ladder>& ladders, const Climb& climb) {
  std::uint64_t cost = 0;
  for (std::size_t i = 0; i < ladders.size(); ++i) cost += climb.steps[i] * ladders[i].step_cost;
  return cost;
}

RC_GTEST_PROP(LadderProperty, TheHullNeverClaimsMoreThanItReachesNorLessThanTheOptimum, ()) {
  const std::vector<Ladder> ladders = any_ladders();
  const auto capacity = *rc::gen::inRange<std::uint64_t>(0, 60);
  const Climb exact = climb_exactly(ladders, capacity);
  const Climb hull = climb_by_hull(ladders, capacity);
  RC_ASSERT(cost_of(ladders, exact) <= capacity);
  RC_ASSERT(cost_of(ladders, hull) <= capacity);
  RC_ASSERT(hull.value <= exact.value + 1e-12);
  RC_ASSERT(hull.bound >= exact.value - 1e-12);
  if (hull.exact) RC_ASSERT(agree(hull.value, exact.value));
}

TEST(ShedPlusAllocation, LargeSumsComeWithinTheirStatedGap) {
  std::vector<JobOdds> jobs;
  for (int j = 0; j < 400; ++j) {
    JobOdds odds;
    for (int i = 0; i < 1 + j % 37; ++i) {
      const double ln_q = -0.05 - 0.001 * ((j * 31 + i * 17) % 900);
      odds.stragglers.push_back({ln_q, ln_q});
    }
    jobs.push_back(odds);
  }
  const ShedPlusGrant grant = allocate_shed_plus(jobs, 15'000, 5, Objective::SumPocd);
  EXPECT_FALSE(grant.total.exact);
  EXPECT_LE(grant.total.copies, 15'000U);
  EXPECT_GE(grant.total.bound, grant.total.value);
  EXPECT_LT(grant.total.bound - grant.total.value, 0.1);  // of about 200 jobs
}

}  // namespace
}  // namespace ontime::scheduler::test
