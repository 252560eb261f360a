// Chronos: Theorems 1 to 8 and the estimator of its section VI against the golden files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/core/outlook.h"
#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/chronos/chronos.h"
#include "tests/golden/golden_file.h"
#include "tests/pocd/chronos_paper.h"
#include "tests/pocd/handover.h"

namespace ontime::golden {
namespace {

using namespace scheduler::chronos;  // NOLINT: the formulas under test
using namespace scheduler::math;     // NOLINT
using scheduler::math::OriginalPace;

ChronosJob job_of(const Row& row, bool has_kill = true, bool has_tasks = true) {
  ChronosJob job;
  job.tasks = has_tasks ? row["N"] : 1;
  job.t_min = row["tmin"];
  job.beta = row["beta"];
  job.deadline = row["D"];
  job.tau_est = row["tau_est"];
  job.tau_kill = has_kill ? row["tau_kill"] : 0;
  job.phi = row["phi"];
  return job;
}

void check_pocd(Checker& check, const Row& row, Strategy strategy, const std::string& name) {
  const Pocd pocd = chronos_pocd(strategy, job_of(row, false), row["r"]);
  check.near(row, name + "_ln_p", pocd.ln_p_task, 1e-12);
  check.near(row, name + "_R", pocd.value);
  check.near(row, name + "_ln_R", pocd.ln_value);
  check.near(row, name + "_miss", pocd.miss);
}

TEST(GoldenChronos, Pocd) {
  const auto rows = csv("chronos_pocd.csv");
  Checker check("chronos_pocd.csv", rows.size());
  for (const Row& row : rows) {
    check_pocd(check, row, Strategy::Clone, "clone");
    check_pocd(check, row, Strategy::Restart, "restart");
    check_pocd(check, row, Strategy::Resume, "resume");
    const ChronosJob job = job_of(row, false);
    check.near(row, "restart_ln_p_printed", ln_miss_as_printed(Strategy::Restart, job, row["r"]), 1e-12);
    check.near(row, "restart_R_printed", pocd_as_printed(Strategy::Restart, job, row["r"]));
    check.near(row, "resume_ln_p_printed", ln_miss_as_printed(Strategy::Resume, job, row["r"]), 1e-12);
    check.near(row, "resume_R_printed", pocd_as_printed(Strategy::Resume, job, row["r"]));
    check.near(row, "resume_ln_p_linear", ln_miss_resume_linear(job, row["r"]));
  }
}

double cost(Strategy strategy, const ChronosJob& job, double r, CostModel model) {
  return job.tasks * task_machine_time(strategy, job, r, model);
}

TEST(GoldenChronos, MachineTime) {
  const auto rows = csv("chronos_cost.csv");
  Checker check("chronos_cost.csv", rows.size());
  for (const Row& row : rows) {
    const ChronosJob job = job_of(row);
    const double r = row["r"];
    const Pareto task(job.t_min, job.beta);
    check.near(row, "P_T_gt_D", task.survival(job.deadline), 1e-12);
    const double mean_in_time = job.deadline <= job.t_min ? job.t_min
                                                          : job.beta * power_integral(job.t_min, job.beta, job.deadline) /
                                                                task.cdf(job.deadline);
    check.near(row, "ET_le_D", mean_in_time, 1e-12);
    check.near(row, "clone_printed", cost(Strategy::Clone, job, r, CostModel::AsPrinted), 1e-12);
    check.near(row, "clone_exact", machine_time(Strategy::Clone, job, r), 1e-12);
    check.near(row, "restart_tail_integral", RestartRace(job, r).tail_above(job.deadline - job.tau_est));
    for (const auto& [strategy, name] :
         {std::pair(Strategy::Restart, "restart"), std::pair(Strategy::Resume, "resume")}) {
      const std::string prefix = name;
      check.near(row, prefix + "_cond_printed", straggler_machine_time(strategy, job, r, CostModel::AsPrinted), 1e-12);
      check.near(row, prefix + "_per_task_printed", task_machine_time(strategy, job, r, CostModel::AsPrinted), 1e-12);
      check.near(row, prefix + "_printed", cost(strategy, job, r, CostModel::AsPrinted), 1e-12);
      check.near(row, prefix + "_exact", machine_time(strategy, job, r), 1e-12);
    }
    check.near(row, "resume_cond_correct", straggler_machine_time(Strategy::Resume, job, r, CostModel::Corrected),
               1e-12);
    check.near(row, "resume_correct", cost(Strategy::Resume, job, r, CostModel::Corrected), 1e-12);
  }
}

TEST(GoldenChronos, ComparisonOfStrategies) {
  const auto rows = csv("chronos_thm7.csv");
  Checker check("chronos_thm7.csv", rows.size());
  for (const Row& row : rows) {
    const ChronosJob job = job_of(row, false, false);
    const double r = row["r"];
    check.near(row, "thr_correct", clone_beats_resume_above(job));
    check.near(row, "thr_printed_7_3", theorem_7_3_as_printed(job));
    check.near(row, "thr_eq60", equation_60_as_printed(job));
    const double clone = ln_miss(Strategy::Clone, job, r);
    const double resume = ln_miss(Strategy::Resume, job, r);
    check.near(row, "ln_p_clone", clone, 1e-12);
    check.near(row, "ln_p_restart", ln_miss(Strategy::Restart, job, r), 1e-12);
    check.near(row, "ln_p_resume", resume, 1e-12);
    const double sign = row["sign_Rclone_minus_Rresume"];
    EXPECT_EQ(clone < resume ? 1 : clone > resume ? -1 : 0, sign) << row.place();
    if (sign != 0) {
      EXPECT_EQ(r > clone_beats_resume_above(job), sign > 0) << row.place();
    }
  }
}

TEST(GoldenChronos, GammaThresholds) {
  const auto rows = csv("chronos_gamma.csv");
  Checker check("chronos_gamma.csv", rows.size());
  for (const Row& row : rows) {
    const ChronosJob job = job_of(row, false);
    const double clone = gamma_threshold(Strategy::Clone, job);
    const double restart = gamma_threshold(Strategy::Restart, job);
    const double resume = gamma_threshold(Strategy::Resume, job);
    check.near(row, "gamma_clone", clone);
    check.near(row, "gamma_restart", restart);
    check.near(row, "gamma_resume", resume);
    check.near(row, "gamma_restart_eq62", gamma_restart_as_printed_in_appendix(job));
    check.near(row, "start_clone", std::max(0.0, std::ceil(clone)), 0);
    check.near(row, "start_restart", std::max(0.0, std::ceil(restart)), 0);
    check.near(row, "start_resume", std::max(0.0, std::ceil(resume)), 0);
  }
}

Price price_of(const Row& row) { return {row["Rmin"], row["theta"], row["C"]}; }

TEST(GoldenChronos, NetUtility) {
  const auto rows = csv("chronos_utility.csv");
  Checker check("chronos_utility.csv", rows.size());
  for (const Row& row : rows) {
    const ChronosJob job = job_of(row);
    const Price price = price_of(row);
    const auto utility = [&](Strategy strategy, CostModel model, LogBase base) {
      return net_utility(strategy, job, row["r"], price, model, base);
    };
    check.near(row, "U_clone", utility(Strategy::Clone, CostModel::AsPrinted, LogBase::Ten));
    check.near(row, "U_clone_ln", utility(Strategy::Clone, CostModel::AsPrinted, LogBase::E));
    check.near(row, "U_restart", utility(Strategy::Restart, CostModel::AsPrinted, LogBase::Ten));
    check.near(row, "U_restart_ln", utility(Strategy::Restart, CostModel::AsPrinted, LogBase::E));
    check.near(row, "U_resume_printedcost", utility(Strategy::Resume, CostModel::AsPrinted, LogBase::Ten));
    check.near(row, "U_resume", utility(Strategy::Resume, CostModel::Corrected, LogBase::Ten));
    check.near(row, "U_resume_ln", utility(Strategy::Resume, CostModel::Corrected, LogBase::E));
  }
}

Strategy strategy_of(const std::string& name) {
  if (name == "clone") return Strategy::Clone;
  return name == "restart" ? Strategy::Restart : Strategy::Resume;
}

// What is shipped for the exact cost; by trying all of them for the paper's.
OptimalCopies best_of(const Row& row, CostModel model) {
  const Strategy strategy = strategy_of(row.text("strategy"));
  if (model == CostModel::Exact) return optimal_copies(strategy, job_of(row), price_of(row));
  OptimalCopies best{std::nullopt, -std::numeric_limits<double>::infinity()};
  for (unsigned r = 0; r <= 50; ++r) {
    const double utility = net_utility(strategy, job_of(row), r, price_of(row), model, LogBase::Ten);
    if (utility > best.utility) best = {r, utility};
  }
  return best;
}

unsigned worthless(const Row& row) {
  unsigned count = 0;
  for (unsigned r = 0; r <= 50; ++r) {
    count += std::isinf(net_utility(strategy_of(row.text("strategy")), job_of(row), r, price_of(row))) ? 1 : 0;
  }
  return count;
}

void check_optimum(Checker& check, const Row& row, CostModel model, const std::string& suffix) {
  const OptimalCopies best = best_of(row, model);
  check.near(row, "U_opt_" + suffix, best.utility);
  if (row["margin_" + suffix] > 1e-12 || row["r_opt_" + suffix] < 0) {
    EXPECT_EQ(best.r ? static_cast<double>(*best.r) : -1, row["r_opt_" + suffix]) << row.place();
  }
  if (model == CostModel::Exact) {
    EXPECT_EQ(worthless(row), row.whole("n_infeasible_r")) << row.place();
  }
}

TEST(GoldenChronos, OptimalCopies) {
  const auto rows = csv("chronos_opt.csv");
  Checker check("chronos_opt.csv", rows.size());
  for (const Row& row : rows) {
    check_optimum(check, row, CostModel::AsPrinted, "printed");
    check_optimum(check, row, CostModel::Corrected, "correct");
    check_optimum(check, row, CostModel::Exact, "exact");
  }
}

OriginalPace pace_of(const Row& row) {
  OriginalPace pace;
  pace.b_start = row["b_start"];
  pace.b_done = row["b_est"];
  pace.t_launched = row["t_lau"];
  pace.t_first = row["t_FP"];
  pace.t_now = row["t_now"];
  return pace;
}

double shipped_completion(const Row& row, double rate) {
  return scheduler::Pace{row["CP"], row["t_now"], rate, true}.reaches(1);
}

TEST(GoldenChronos, Estimators) {
  const auto rows = csv("chronos_estimators.csv");
  Checker check("chronos_estimators.csv", rows.size());
  for (const Row& row : rows) {
    const double now = row["t_now"];
    const double rate = (row["CP"] - row["FP"]) / (now - row["t_FP"]);
    check.near(row, "ect_printed_eq30", row["t_FP"] + 1 / rate, 1e-12);
    check.near(row, "ect_correct", shipped_completion(row, rate), 1e-12);
    check.near(row, "ect_hadoop", shipped_completion(row, row["CP"] / (now - row["t_lau"])), 1e-12);
    const Handover handover = handover_as_printed(pace_of(row));
    check.near(row, "b_extra_eq31", handover.b_extra, 1e-12);
    check.near(row, "b_new", handover.b_new, 1e-12);
  }
}

}  // namespace
}  // namespace ontime::golden
