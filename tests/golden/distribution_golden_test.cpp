// The Pareto distribution, alpha-fair utility and Dolly's clones against the golden files.
#include <gtest/gtest.h>

#include <cmath>

#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/baselines/baselines.h"
#include "tests/golden/golden_file.h"
#include "tests/pocd/alpha_fair.h"

namespace ontime::golden {
namespace {

using namespace scheduler::math;  // NOLINT: the formulas under test
using scheduler::dolly_clones;
using scheduler::dolly_copies;

double variance_of(double t_min, double beta) {
  return beta > 2 ? t_min / (beta - 1) * t_min / (beta - 1) * beta / (beta - 2) : kInfinity;
}

// E[T | T <= x]; t_min for x <= t_min.
double mean_below(double t_min, double beta, double x) {
  return x <= t_min ? t_min : beta * power_integral(t_min, beta, x) / Pareto(t_min, beta).cdf(x);
}

TEST(GoldenDistribution, Pareto) {
  const auto rows = csv("pareto.csv");
  Checker check("pareto.csv", rows.size());
  for (const Row& row : rows) {
    const Pareto pareto(row["xm"], row["a"]);
    const double x = row["x"];
    check.near(row, "ln_sf", pareto.ln_survival(x), 1e-12);
    check.near(row, "sf", pareto.survival(x), 1e-12);
    check.near(row, "cdf", pareto.cdf(x), 1e-12);
    check.near(row, "pdf", x < row["xm"] ? 0 : row["a"] / x * pareto.survival(x), 1e-12);
    check.near(row, "quantile", pareto.quantile(row["q"]), 1e-12);
    check.near(row, "mean", pareto.mean(), 1e-12);
    check.near(row, "var", variance_of(row["xm"], row["a"]), 1e-12);
    check.near(row, "min_mean", pareto.minimum_of(row["n"]).mean(), 1e-12);
    check.near(row, "max_mean", pareto.mean_of_maximum(row["n"]));
    check.near(row, "emin_x", pareto.mean_capped(x), 1e-12);
    check.near(row, "mean_below_x", mean_below(row["xm"], row["a"], x), 1e-12);
    check.near(row, "mean_above_x", pareto.mean_above(x), 1e-12);
  }
}

TEST(GoldenDistribution, AlphaFairUtility) {
  const auto rows = csv("alpha_fair.csv");
  Checker check("alpha_fair.csv", rows.size());
  for (const Row& row : rows) check.near(row, "U", alpha_fair_utility(row["p"], row["alpha"]), 1e-12);
}

// p of one task from the probability that a job of N such tasks misses: 1 - (1 - P)^(1/N). Both papers put the job's
// probability where the task's belongs.
double task_probability(double job_probability, double tasks) {
  return -std::expm1(std::log1p(-job_probability) / tasks);
}

TEST(GoldenDistribution, DollyClones) {
  const auto rows = csv("dolly.csv");
  Checker check("dolly.csv", rows.size());
  for (const Row& row : rows) {
    const double tasks = row["N"];
    const double eps = row["eps"];
    check.near(row, "copies_real", dolly_copies(row["p"], tasks, eps));
    check.near(row, "copies_ceil", dolly_clones(row["p"], tasks, eps), 0);
    // Shed prints the root 1/p where 1/N is meant.
    check.near(row, "copies_shed_print_1_over_p", dolly_copies(row["p"], /*tasks=*/row["p"], eps));
    const double p = task_probability(row["P_job_miss"], tasks);
    check.near(row, "p_task_from_job", p, 1e-12);
    check.near(row, "copies_real_from_job", dolly_copies(p, tasks, eps));
    check.near(row, "copies_ceil_from_job", dolly_clones(p, tasks, eps), 0);
  }
}

}  // namespace
}  // namespace ontime::golden
