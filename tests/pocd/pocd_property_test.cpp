// What PoCD must do whatever the numbers: more copies, more time and a lighter tail never make a job less safe.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/chronos/chronos.h"
#include "tests/pocd/alpha_fair.h"
#include "tests/pocd/chronos_paper.h"
#include "tests/pocd/generators.h"
#include "tests/pocd/tail_pocd.h"

namespace ontime::scheduler::test {
namespace {

using namespace math;     // NOLINT
using namespace chronos;  // NOLINT
using namespace shed;     // NOLINT

// Differences below this are rounding.
bool at_most(double a, double b) { return a <= b + 1e-12 * std::abs(b); }

RC_GTEST_PROP(PocdProperty, MoreCopiesNeverMakeAMissLikelier, ()) {
  const ChronosJob job = any_chronos_job();
  const Strategy strategy = any_strategy();
  const int r = *rc::gen::inRange(0, 60);
  RC_ASSERT(at_most(ln_miss(strategy, job, r + 1), ln_miss(strategy, job, r)));
}

RC_GTEST_PROP(PocdProperty, MoreTimeNeverMakesAMissLikelier, ()) {
  const ChronosJob job = any_chronos_job();
  ChronosJob later = job;
  later.deadline *= any_real(1, 3);
  const Strategy strategy = any_strategy();
  const int r = *rc::gen::inRange(0, 20);
  RC_ASSERT(at_most(ln_miss(strategy, later, r), ln_miss(strategy, job, r)));
}

RC_GTEST_PROP(PocdProperty, ALighterTailNeverMakesAMissLikelier, ()) {
  const ChronosJob job = any_chronos_job();
  ChronosJob lighter = job;
  lighter.beta *= any_real(1, 3);
  const Strategy strategy = any_strategy();
  const int r = *rc::gen::inRange(0, 20);
  RC_ASSERT(at_most(ln_miss(strategy, lighter, r), ln_miss(strategy, job, r)));
}

RC_GTEST_PROP(PocdProperty, PocdAndMissAreProbabilitiesAndAddUpToOne, ()) {
  const Pocd pocd = chronos_pocd(any_strategy(), any_chronos_job(), *rc::gen::inRange(0, 200));
  RC_ASSERT(pocd.value >= 0 && pocd.value <= 1 && pocd.miss >= 0 && pocd.miss <= 1);
  RC_ASSERT(std::abs(pocd.value + pocd.miss - 1) <= 1e-15);
}

RC_GTEST_PROP(PocdProperty, TheUnitOfTimeDoesNotMatter, ()) {
  const ChronosJob job = any_chronos_job();
  const Strategy strategy = any_strategy();
  ChronosJob in_ms = job;
  for (double* time : {&in_ms.t_min, &in_ms.deadline, &in_ms.tau_est, &in_ms.tau_kill}) *time *= 1000;
  const int r = *rc::gen::inRange(0, 20);
  const double here = ln_miss(strategy, job, r);
  const double there = ln_miss(strategy, in_ms, r);
  RC_ASSERT(here == there || std::abs(here - there) <= 1e-9 * (1 + std::abs(here)));
  const double cost = machine_time(strategy, job, r);
  const double cost_ms = machine_time(strategy, in_ms, r);
  RC_ASSERT(cost_ms == 1000 * cost || std::abs(cost_ms - 1000 * cost) <= 1e-9 * cost_ms);
}

RC_GTEST_PROP(PocdProperty, CloneAndResumeAreNeverWorseThanRestart, ()) {
  const ChronosJob job = any_chronos_job();
  const int r = *rc::gen::inRange(0, 20);
  const double restart = ln_miss(Strategy::Restart, job, r);
  RC_ASSERT(at_most(ln_miss(Strategy::Clone, job, r), restart));   // Theorem 7.1
  RC_ASSERT(at_most(ln_miss(Strategy::Resume, job, r), restart));  // Theorem 7.2
}

RC_GTEST_PROP(PocdProperty, CloneBeatsResumeExactlyAboveTheThreshold, ()) {
  ChronosJob job = any_chronos_job();
  job.deadline = job.t_min * any_real(1.1, 8);
  job.tau_est = job.deadline * any_real(0, 0.9);
  RC_PRE(slack(job.deadline, job.tau_est, job.phi, job.t_min) > 0 && job.phi < 1);
  const int r = *rc::gen::inRange(0, 20);
  const double threshold = clone_beats_resume_above(job);
  RC_PRE(std::abs(r - threshold) > 1e-6);
  const bool clone_wins = ln_miss(Strategy::Clone, job, r) < ln_miss(Strategy::Resume, job, r);
  RC_ASSERT(clone_wins == (r > threshold));
}

RC_GTEST_PROP(PocdProperty, TheGeneralTailGivesTheTheoremsForPareto, ()) {
  const ChronosJob job = any_chronos_job();
  const int r = *rc::gen::inRange(0, 20);
  const Pareto tail(job.t_min, job.beta);
  const auto agree = [](double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * (1 + std::abs(a)); };
  RC_ASSERT(agree(ln_miss(Strategy::Clone, job, r), ln_miss_clone(tail, job.deadline, r)));
  RC_ASSERT(agree(ln_miss(Strategy::Restart, job, r), ln_miss_restart(tail, job.deadline, job.tau_est, r)));
  RC_ASSERT(agree(ln_miss(Strategy::Resume, job, r), ln_miss_resume(tail, job.deadline, job.tau_est, job.phi, r)));
}

RC_GTEST_PROP(PocdProperty, TheExactCostIsNeverAboveTheOneThatChargesEveryLoserInFull, ()) {
  const ChronosJob job = any_chronos_job();
  const int r = *rc::gen::inRange(0, 20);
  for (const Strategy strategy : {Strategy::Clone, Strategy::Resume}) {
    const double exact = machine_time(strategy, job, r);
    const double full = job.tasks * task_machine_time(strategy, job, r, CostModel::Corrected);
    RC_ASSERT(exact == full || at_most(exact, full));
    RC_ASSERT(exact > 0);
  }
}

RC_GTEST_PROP(PocdProperty, TheOptimalCopiesAreNoWorseThanAnyOther, ()) {
  const ChronosJob job = any_chronos_job();
  const Strategy strategy = any_strategy();
  const Price price{any_real(0, 0.5), 1e-5, any_real(0, 2)};
  const OptimalCopies best = optimal_copies(strategy, job, price, 20);
  for (unsigned r = 0; r <= 20; ++r) {
    const double utility = net_utility(strategy, job, r, price);
    RC_ASSERT((best.r ? utility <= best.utility : utility == -kInfinity));
    if (best.r && r < *best.r) RC_ASSERT(utility < best.utility);
  }
}

RC_GTEST_PROP(PocdProperty, AlphaFairUtilityAgreesWithItsFormInLogarithms, ()) {
  const double p = any_real(1e-6, 1);
  const double alpha = *rc::gen::element(0.0, 0.5, 1.0, 2.0);
  const double expected = alpha_fair_utility(p, alpha);
  RC_ASSERT(std::abs(alpha_fair_utility_ln(std::log(p), alpha) - expected) <= 1e-12 * std::abs(expected));
}

TEST(Pocd, ResumeWithEverythingDoneNeverMisses) {
  ChronosJob job{10, 20, 1.5, 60, 10, 20, 1};
  EXPECT_EQ(chronos_pocd(Strategy::Resume, job, 0).miss, 0);
}

TEST(Pocd, TheStragglersMeanProgressMakesResumeNearlyExact) {
  ChronosJob job{1, 20, 1.2, 50, 10, 20, 0};
  job.phi = straggler_progress(job);
  EXPECT_NEAR(std::exp(ln_miss(Strategy::Resume, job, 2)), 0.018120, 5e-7);
  EXPECT_NEAR(std::exp(ln_miss_resume_linear(job, 2)), 0.018453, 5e-7);
}

TEST(Pocd, CopiesDoNotHarmWhereThePaperSaysSo) {
  const ChronosJob job{1, 10, 1.5, 15, 8, 9, 0};  // D - tau_est < t_min: a restarted copy cannot make it
  for (int r = 0; r < 4; ++r) EXPECT_NEAR(std::exp(ln_miss(Strategy::Restart, job, r)), 0.544, 5e-4);
  EXPECT_GT(ln_miss_as_printed(Strategy::Restart, job, 2), 0);
}

}  // namespace
}  // namespace ontime::scheduler::test
