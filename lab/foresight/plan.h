#pragma once
// What to expect of a job before it runs: by policy the probability to make its deadline, how long it takes, what it
// costs, and the smallest deadline and number of slots that reach a probability.
//
// Without copies and with a slot for every task the answer is a formula: every task takes the mean launch time and the
// time for its bytes, independently. Everything else is simulated, with the policy itself, and runs are few so
// that an answer takes about a second: reports each number of runs.

#include <cstdint>
#include <optional>

#include "scheduler/math/durations.h"
#include "lab/foresight/fitted_durations.h"
#include "lab/foresight/prospect.h"
#include "lab/scenario/policy_choice.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

struct PlanQuestion {
  JobGroup job;  // deadline, files, profile; its policy and its durations do not count
  scheduler::math::FittedTail tail = scheduler::math::FittedTail::pareto(10, 2);  // seconds for a whole split
  Distribution launch = Distribution::constant(1);
  std::uint32_t slots = 1;
  double target = 0.99;    // PoCD to reach
  std::uint32_t runs = 0;  // of each simulation; 0: as many as the attempts below allow
  std::uint64_t seed = 1;
  // Attempts that one policy may have simulated, searches included. A search that could not have kSearchRunsLeast runs
  // of them is left out.
  std::uint64_t attempts_max = 32'000;
};

inline constexpr std::uint32_t kSearchRunsLeast = 20;

struct PlanAnswer {
  bool is_exact = false;  // a formula; otherwise simulated
  Prospect prospect;      // of a formula: pocd, low, median, high, machine_time and attempts
  bool has_searched = false;
  std::uint32_t search_runs = 0;       // of each simulation of the search
  std::optional<double> deadline;      // smallest that reaches the target with these slots; none was found
  std::optional<std::uint32_t> slots;  // smallest number that reaches it by the deadline
};

// The cluster that is planned with: nodes of four slots, or of one if there are few.
Scenario scenario_of(const PlanQuestion& question, std::uint32_t slots);
std::uint32_t tasks_of(const PlanQuestion& question);

// BadInput for a policy that there is not.
Result<PlanAnswer> plan(const PlanQuestion& question, const PolicyChoice& policy);

}  // namespace ontime::lab
