#pragma once
// A case is run twice: once to see how long each of its jobs lives, and once more, the same to the bit, to read what is
// expected of it at shares of that life.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lab/campaigns/forecast_scenario.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {

// When a forecast is read: at shares of the job's life, which nobody knows by then, or of the time to its deadline.
enum class ReadingOf : std::uint8_t { Life, Deadline };
std::span<const double> forecast_shares();

struct ForecastTrial {
  ForecastCase what;
  double deadline = 0;  // in medians of what such jobs take without speculation
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
