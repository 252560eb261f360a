// The listings of Shed and Shed+ and the optima of the same scenarios against the golden files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/golden/golden_file.h"
#include "tests/pocd/shed_paper.h"

namespace ontime::golden {
namespace {

using namespace scheduler::math;  // NOLINT: the formulas under test
using namespace scheduler::shed;  // NOLINT
using nlohmann::json;

constexpr double kTolerance = 1e-10;

CopyLimit limit_of(const json& input) {
  return input["MAX"].is_null() ? CopyLimit() : CopyLimit(input["MAX"].get<std::uint32_t>());
}

// A double can decide every argmin: the gaps are either ties, resolved by index, or wider than its rounding.
bool is_decidable(const json& expected) { return number(expected["min_rel_gap"]) > 1e-9; }

void check_capacity(const json& row, std::int64_t kappa, const std::string& at) {
  EXPECT_EQ(static_cast<double>(kappa), std::floor(number(row["expected"]["kappa"]) + 1e-9)) << at;
}

void check_total(const GrantValue& total, std::int64_t kappa, const std::string& at) {
  EXPECT_LE(total.copies, static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0))) << at;
  EXPECT_TRUE(total.exact) << at;
  EXPECT_EQ(total.value, total.bound) << at;
}

// The three utilities of a listing's grant: "greedy" as printed or "skip", over all jobs or those that can be saved.
void check_utilities(Checker& check, const std::string& at, const std::string& prefix, const json& expected,
                     const std::vector<double>& ln_pocd) {
  double sum = 0;
  double sum_of_ln = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < ln_pocd.size(); ++j) {
    sum += std::exp(ln_pocd[j]);
    if (number(expected["hopeless"][j]) != 0) continue;
    sum_of_ln += ln_pocd[j];
    smallest = std::min(smallest, std::exp(ln_pocd[j]));
  }
  if (std::isinf(smallest)) smallest = 0;
  check.near(at, prefix + "_sum", number(expected[prefix + "_sum"]), sum, kTolerance);
  check.near(at, prefix + "_sumlog_savable", number(expected[prefix + "_sumlog_savable"]), sum_of_ln, kTolerance);
  check.near(at, prefix + "_min_savable", number(expected[prefix + "_min_savable"]), smallest, kTolerance);
}

// How far the listing as printed stays behind the optimum; a difference, so it is as exact as its parts.
void check_gap(const std::string& at, const json& expected, const char* gap, const char* best, const char* greedy) {
  const double optimum = number(expected[best]);
  EXPECT_NEAR(number(expected[gap]), optimum - number(expected[greedy]), 1e-10 * (1 + std::abs(optimum))) << at;
}

void check_gaps(const std::string& at, const json& expected) {
  check_gap(at, expected, "gap_sum", "opt_sum", "greedy_sum");
  check_gap(at, expected, "gap_sumlog", "opt_sumlog_savable", "greedy_sumlog_savable");
  check_gap(at, expected, "gap_min", "opt_min_savable", "greedy_min_savable");
}

std::vector<ShedJob> shed_jobs(const json& input) {
  std::vector<ShedJob> jobs;
  for (const auto& job : input["jobs"]) {
    jobs.push_back({number(job["N"]), number(job["tmin"]), number(job["beta"]), number(job["D"]), number(job["tau"]),
                    number(job["phi"])});
  }
  return jobs;
}

std::int64_t shed_kappa(const json& input, const std::vector<ShedJob>& jobs) {
  double tasks = 0;
  for (const ShedJob& job : jobs) tasks += job.tasks;
  return copies_available(std::stod(input["lambda"].get<std::string>()), number(input["m"]),
                          static_cast<std::uint64_t>(tasks), jobs.size());
}

void check_shed_listings(Checker& check, const json& row, const std::string& at) {
  const auto jobs = shed_jobs(row["input"]);
  const auto& expected = row["expected"];
  const std::int64_t kappa = shed_kappa(row["input"], jobs);
  check_capacity(row, kappa, at);
  const ShedGrant printed = shed_listing(jobs, kappa, limit_of(row["input"]), HopelessJobs::Feed);
  const ShedGrant skipping = shed_listing(jobs, kappa, limit_of(row["input"]), HopelessJobs::Skip);
  if (!is_decidable(expected)) return;
  check_utilities(check, at, "greedy", expected, printed.ln_pocd);
  check_utilities(check, at, "skip", expected, skipping.ln_pocd);
  check_gaps(at, expected);
  EXPECT_EQ(json(printed.r), expected["r_printed"]) << at;
  EXPECT_EQ(printed.total.copies, expected["omega"].get<std::uint64_t>()) << at;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    check.near(at, "lnR_printed", number(expected["lnR_printed"][j]), printed.ln_pocd[j], kTolerance);
  }
  EXPECT_EQ(json(skipping.r), expected["r_skip_hopeless"]) << at;
}

void check_shed_optima(Checker& check, const json& row, const std::string& at) {
  const auto jobs = shed_jobs(row["input"]);
  const std::int64_t kappa = shed_kappa(row["input"], jobs);
  for (const auto& [objective, name] :
       {std::pair(Objective::SumPocd, "opt_sum"), std::pair(Objective::SumLog, "opt_sumlog_savable"),
        std::pair(Objective::MaxMin, "opt_min_savable")}) {
    const ShedGrant grant = allocate_shed(jobs, kappa, limit_of(row["input"]), objective);
    check_total(grant.total, kappa, at);
    check.near(at, name, number(row["expected"][name]), grant.total.value, kTolerance);
  }
}

TEST(GoldenGreedy, Shed) {
  const auto rows = json_lines("shed_greedy.jsonl");
  Checker check("shed_greedy.jsonl", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string at = "shed_greedy.jsonl:" + std::to_string(i + 1);
    check_shed_listings(check, rows[i], at);
    check_shed_optima(check, rows[i], at);
  }
}

// A Shed+ scenario: the odds of each job, and which of its tasks are the stragglers.
struct Scenario {
  std::vector<JobOdds> odds;
  std::int64_t kappa = 0;
};

Scenario scenario_of(const json& input) {
  Scenario scenario;
  std::uint64_t tasks = 0;
  for (const auto& entry : input["jobs"]) {
    RunningJob job{number(entry["D"]), number(entry["tmin"]), number(entry["tau"]), {}};
    for (const auto& task : entry["tasks"]) {
      job.tasks.push_back({number(task["phi"]), number(task["beta"]), task["straggler"].get<int>() != 0});
    }
    tasks += job.tasks.size();
    scenario.odds.push_back(odds_of(job));
  }
  scenario.kappa =
      copies_available(std::stod(input["lambda"].get<std::string>()), number(input["m"]), tasks, scenario.odds.size());
  return scenario;
}

// The grant per task, as the golden files have it: 0 for tasks that are no stragglers.
json per_task(const json& input, const ShedPlusGrant& grant) {
  json all = json::array();
  for (std::size_t j = 0; j < grant.copies.size(); ++j) {
    json copies = json::array();
    std::size_t next = 0;
    for (const auto& task : input["jobs"][j]["tasks"]) {
      copies.push_back(task["straggler"].get<int>() != 0 ? grant.copies[j][next++] : 0);
    }
    all.push_back(copies);
  }
  return all;
}

void check_ln(Checker& check, const std::string& at, const char* name, const json& expected,
              const ShedPlusGrant& grant) {
  for (std::size_t j = 0; j < grant.ln_pocd.size(); ++j) {
    check.near(at, name, number(expected[name][j]), grant.ln_pocd[j], kTolerance);
  }
}

void check_shed_plus_listings(Checker& check, const json& row, const std::string& at) {
  const auto& input = row["input"];
  const auto& expected = row["expected"];
  const Scenario scenario = scenario_of(input);
  check_capacity(row, scenario.kappa, at);
  const ShedPlusGrant printed = shed_plus_listing(scenario.odds, scenario.kappa, limit_of(input), HopelessJobs::Feed);
  const ShedPlusGrant skipping = shed_plus_listing(scenario.odds, scenario.kappa, limit_of(input), HopelessJobs::Skip);
  for (std::size_t j = 0; j < scenario.odds.size(); ++j) {
    EXPECT_EQ(scenario.odds[j].is_hopeless(), number(expected["hopeless"][j]) != 0) << at;
  }
  if (!is_decidable(expected)) return;
  EXPECT_EQ(per_task(input, printed), expected["r_printed"]) << at;
  EXPECT_EQ(printed.total.copies, expected["omega"].get<std::uint64_t>()) << at;
  check_ln(check, at, "lnR_printed", expected, printed);
  check_utilities(check, at, "greedy", expected, printed.ln_pocd);
  check_utilities(check, at, "skip", expected, skipping.ln_pocd);
  check_gaps(at, expected);
  EXPECT_EQ(per_task(input, skipping), expected["r_skip_hopeless"]) << at;
  check_ln(check, at, "lnR_skip", expected, skipping);
}

void check_shed_plus_optima(Checker& check, const json& row, const std::string& at) {
  const Scenario scenario = scenario_of(row["input"]);
  for (const auto& [objective, name] :
       {std::pair(Objective::SumPocd, "opt_sum"), std::pair(Objective::SumLog, "opt_sumlog_savable"),
        std::pair(Objective::MaxMin, "opt_min_savable")}) {
    const ShedPlusGrant grant = allocate_shed_plus(scenario.odds, scenario.kappa, limit_of(row["input"]), objective);
    check_total(grant.total, scenario.kappa, at);
    check.near(at, name, number(row["expected"][name]), grant.total.value, kTolerance);
  }
}

TEST(GoldenGreedy, ShedPlus) {
  const auto rows = json_lines("shedplus_greedy.jsonl");
  Checker check("shedplus_greedy.jsonl", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string at = "shedplus_greedy.jsonl:" + std::to_string(i + 1);
    check_shed_plus_listings(check, rows[i], at);
    check_shed_plus_optima(check, rows[i], at);
  }
}

}  // namespace
}  // namespace ontime::golden
