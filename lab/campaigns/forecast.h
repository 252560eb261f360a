#pragma once
// Clusters on which forecasts are put to the test: one to eight waves, even and uneven splits, one and many jobs, known
// and unknown durations, attempts that hold their speed and attempts that do not.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/campaigns/stages.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {

// What durations are like. A task takes 20 s in the median.
//   pareto      shape 2
//   lognormal   spread 0.3
//   stragglers  within a tenth of each other, but one in ten takes four times as long
//   changing    lognormal with spread 0.5, drawn anew every 10 s on average while an attempt runs
//   nodes       lognormal with spread 0.2, times the slowness of the node: lognormal with spread 0.3
//   real        a stage that was measured (stages.h), another one for each seed
std::span<const std::string_view> forecast_worlds();

struct ForecastCase {
  std::string policy = "none";
  std::string world = "lognormal";
  std::uint32_t waves = 1;
  bool even = true;   // splits
  bool many = false;  // jobs that come one after another at a load of 0.8; else one alone
  bool known = true;  // the durations, from earlier jobs
  std::uint64_t seed = 1;
  std::vector<double> deadlines;  // by job; empty: none
};

inline constexpr std::uint32_t kForecastJobsMany = 6;

// A group for each job. REQUIRES: the world is one of those above; stages are not empty.
Scenario forecast_scenario(const ForecastCase& what, std::span<const Stage> stages);

// When a forecast is read: at shares of the job's life, which nobody knows by then, or of the time to its deadline.
enum class ReadingOf : std::uint8_t { Life, Deadline };
std::span<const double> forecast_shares();

// A case is run twice: once to see how long each of its jobs lives, and once more, the same to the bit, to read what is
// expected of it at shares of that life.
struct ForecastTrial {
  ForecastCase what;
  double deadline = 0;           // in medians of what such jobs take without speculation
  std::vector<JobOutcome> jobs;  // each with readings as long as it runs
};

class ForecastTrials {
 public:
  explicit ForecastTrials(std::span<const Stage> stages, ReadingOf of = ReadingOf::Life) : stages_(stages), of_(of) {}

  // `deadline`: a factor of the median time such a job takes without speculation.
  ForecastTrial run(ForecastCase what, double deadline);

 private:
  const std::vector<double>& usual_times(const ForecastCase& what);

  std::span<const Stage> stages_;
  ReadingOf of_;
  std::map<std::string, std::vector<double>> usual_;  // by all of a case but the policy
};

// Every combination of policy, waves, splits, one or many jobs, known or not, and world; `seeds` runs of each, the
// deadlines in turn. With `every` only each so manyth of them.
struct ForecastPlan {
  std::vector<std::string> policies;  // empty: all
  std::vector<std::string> worlds;    // empty: all
  std::uint64_t first_seed = 1;
  std::uint32_t seeds = 1;
  std::uint32_t every = 1;
};
struct PlannedCase {
  ForecastCase what;
  double deadline = 1;
};
std::vector<PlannedCase> forecast_cases(const ForecastPlan& plan);

}  // namespace ontime::lab
