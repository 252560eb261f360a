// Xu & Lau: cut-off load, SCA's P2, SDA and ESE against the golden files.
#include <gtest/gtest.h>

#include <cmath>

#include "scheduler/policies/xu_lau/xu_lau.h"
#include "tests/golden/golden_file.h"
#include "tests/pocd/xu_lau_paper.h"

namespace ontime::golden {
namespace {

using namespace scheduler::xu_lau;  // NOLINT: the formulas under test

TEST(GoldenXuLau, CutoffLoad) {
  const auto rows = csv("xl_cutoff.csv");
  Checker check("xl_cutoff.csv", rows.size());
  for (const Row& row : rows) {
    const double alpha = row["alpha"];
    check.near(row, "W_over_Es", delay_without_copies(alpha, row["omega"]));
    check.near(row, "Wc_over_Es", delay_with_clones(alpha, row["omega"]));
    check.near(row, "omega_sat", clone_saturation(alpha), 1e-12);
    check.near(row, "omega_U", cutoff_load(alpha));
    check.near(row, "lambda_U", cutoff_load(alpha) * row["M"] / (row["E_m"] * row["E_s"]));  // eq. 5
  }
}

// The formula has 0 times infinity there.
TEST(XuLauPaper, NobodyWaitsWithoutLoad) {
  for (const double alpha : {1.1, 2.0, 3.0}) EXPECT_EQ(delay_without_copies(alpha, 0), 1) << alpha;
  EXPECT_TRUE(std::isinf(delay_without_copies(2, 1e-9)));
}

TEST(GoldenXuLau, ClonedJob) {
  const auto rows = csv("xl_clone.csv");
  Checker check("xl_clone.csv", rows.size());
  for (const Row& row : rows) {
    const ClonedJob job{row["m"], row["mu"], row["alpha"]};
    check.near(row, "E_d", cloned_job_time(job, row["c"]));
    check.near(row, "E_t", cloned_task_time(job, row["c"]), 1e-12);
    check.near(row, "resource", cloned_machine_time(job, row["c"]), 1e-12);
  }
}

TEST(GoldenXuLau, CloningPlan) {
  const auto rows = json_lines("xl_p2.jsonl");
  Checker check("xl_p2.jsonl", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& input = rows[i]["input"];
    const auto& expected = rows[i]["expected"];
    const std::string at = "xl_p2.jsonl:" + std::to_string(i + 1);
    std::vector<ClonedJob> jobs;
    for (const auto& job : input["jobs"]) jobs.push_back({number(job["m"]), number(job["mu"]), number(job["alpha"])});
    const CloneBudget budget{input["N"].get<std::uint64_t>(), number(input["gamma"]), input["r"].get<std::uint32_t>()};
    const CloningPlan plan = plan_cloning(jobs, budget);
    check.near(at, "value_int", number(expected["value_int"]), plan.value, 1e-10);
    EXPECT_LE(plan.machines, budget.machines) << at;
    EXPECT_EQ(plan.value, plan.bound) << at;
    // Copies are compared by their value: near the optimum it hardly depends on them.
    const RelaxedCloningPlan relaxed = relax_cloning(jobs, budget);
    check.near(at, "value_cont", number(expected["value_cont"]), relaxed.value, 1e-10);
    EXPECT_NEAR(relaxed.nu, number(expected["nu"]), 1e-6) << at;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      EXPECT_NEAR(relaxed.copies[j], number(expected["c_cont"][j]), 1e-6) << at;
    }
  }
}

TEST(GoldenXuLau, StragglerDetection) {
  const auto rows = csv("xl_sda.csv");
  Checker check("xl_sda.csv", rows.size());
  for (const Row& row : rows) {
    check.near(row, "tau_over_mu", straggler_cost(row["alpha"], row["sigma"], row["c"]));
    check.near(row, "J_over_mu", detection_cost(row["alpha"], row["sigma"], row["c"], row["s"]));
  }
}

TEST(GoldenXuLau, BestDetectionLimit) {
  const auto rows = csv("xl_sigma_star.csv");
  Checker check("xl_sigma_star.csv", rows.size());
  for (const Row& row : rows) {
    const double alpha = row["alpha"];
    for (const unsigned c : {2U, 3U}) {
      const double sigma = best_detection_limit(alpha, c);
      check.near(row, "sigma_star_c" + std::to_string(c), sigma);
      check.near(row, "J_c" + std::to_string(c) + "_over_mu", detection_cost(alpha, sigma, c, 0));
    }
    const DetectionRule best = best_detection_rule(alpha);
    EXPECT_EQ(best.copies, row.whole("best_c")) << row.place();
    check.near(row, "best_sigma", best.sigma);
    check.near(row, "best_J_over_mu", best.cost);
    const double resource = enhanced_machine_time(alpha, best_detection_limit(alpha, 2));
    check.near(row, "ese_ER_at_sigma_star_over_mu", resource);
    check.near(row, "ese_ER_over_Ex", resource * (alpha - 1) / alpha);
    check.near(row, "mantri_sigma_equiv_delta025", mantri_detection_limit(alpha, 0.25), 1e-12);
  }
}

TEST(GoldenXuLau, EnhancedSpeculativeExecution) {
  const auto rows = csv("xl_ese.csv");
  Checker check("xl_ese.csv", rows.size());
  for (const Row& row : rows) {
    const double alpha = row["alpha"];
    check.near(row, "ER_over_mu", enhanced_machine_time(alpha, row["sigma"]));
    check.near(row, "ER_over_Ex", enhanced_machine_time(alpha, row["sigma"]) * (alpha - 1) / alpha);
  }
}

}  // namespace
}  // namespace ontime::golden
