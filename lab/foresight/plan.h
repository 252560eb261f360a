#pragma once
// What to expect of a job before it runs: by policy the probability to make its deadline, how long it takes, what it
// costs, and the smallest deadline and number of slots that reach a probability.
//
// If a job has no copies and as many slots as tasks, a formula gives its chance: tasks are independent, and one takes
// the mean launch and start and the time for its bytes. All other cases are simulated with the policy itself, in so few
// runs that an answer takes about a second. It says how many runs there were. Nothing fails there, no node is lost, and
// no attempt is ended for being slow.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lab/foresight/recorded_job.h"
#include "lab/scenario/scenario.h"
#include "scheduler/math/durations.h"
#include "scheduler/math/fitted_tail.h"

namespace ontime::lab {

// The formula for a job that has no copies and as many slots as tasks. The job is done when its last task is. A task
// takes the launch time, and an execution time in proportion to its bytes.
class UnaidedJob {
 public:
  // `whole`: seconds for a whole split. `begin`: seconds before it. `shares`: bytes of each task against that.
  UnaidedJob(scheduler::math::FittedTail whole, double begin, const std::vector<double>& shares);

  double done_by(double time) const;  // probability
  double quantile(double q) const;    // the time by which it is done with probability q, 0 < q < 1
  double machine_time() const;        // expected; infinite if the mean of `whole` is

 private:
  const scheduler::math::FittedTail whole_;
  const double launch_;
  std::map<double, std::uint64_t> tasks_;  // how many by share
};

struct PlanQuestion {
  JobGroup job;  // deadline, files, profile, starts; its policy and its durations do not count
  scheduler::math::FittedTail tail = scheduler::math::FittedTail::pareto(10, 2);  // seconds for a whole split
  Distribution launch = Distribution::constant(1);
  std::uint32_t slots = 1;
  double target = 0.99;    // PoCD to reach
  std::uint32_t runs = 0;  // of each simulation; 0: as many as the steps below allow
  std::uint64_t seed = 1;
  // Steps of the scheduler that one policy may have simulated, about, searches included. A search that could not have
  // kSearchRunsLeast runs of them is left out.
  std::uint64_t steps = 200'000;
};

inline constexpr std::uint32_t kSearchRunsLeast = 20;

struct PlanAnswer {
  std::uint64_t steps = 0;  // that were simulated
  bool is_exact = false;    // a formula; otherwise simulated
  Prospect prospect;        // of a formula: pocd, low, median, high, machine_time and attempts
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
