#pragma once
// A cluster on which real stages run: each stage is an application of its own, submitted several times.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "lab/campaigns/stages.h"
#include "lab/results/interval.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {

// What durations are like.
//   resampled  every attempt draws from its stage's record
//   replay     first attempts take exactly their recorded durations, the others draw from the record; the node's share
//              of an attempt's luck is `persistence`, and each stage is submitted once, so that nothing is known of it
//   pareto     every attempt draws from the Pareto distribution fitted to its stage (maximum likelihood, t_min is the
//              shortest duration); stages whose mean would be infinite are left out
//   lognormal  the same with a lognormal
struct RealCase {
  std::string world = "resampled";
  std::string policy = "none";
  scheduler::StringMap parameters;
  double load = 0.4;  // by recorded work
  std::uint32_t jobs = 6;
  std::uint32_t nodes = 75;
  std::uint32_t slots = 2;
  double launch = 2;              // median; its logarithm has a standard deviation of 0.3
  double persistence = 0.21;      // node_correlation in `replay`
  std::uint64_t seed = 1;         // of the arrivals
  std::vector<double> deadlines;  // by stage; empty: none
};

// The stages that the world can be made of.
std::vector<Stage> stages_in(std::string_view world, std::vector<Stage> stages);

// A group of jobs for each stage, in their order. BadInput for a world that there is not.
Result<Scenario> real_scenario(const std::vector<Stage>& stages, const RealCase& what);

// What a policy made of real stages. Jobs of one stage are alike, so intervals are over stages: each counts once.
class RealTally {
 public:
  struct StageTally {
    std::uint64_t jobs = 0;
    std::uint64_t met = 0;
    double machine_time = 0;
    std::vector<double> flow_times;  // of jobs that have ended

    double pocd() const { return jobs > 0 ? static_cast<double>(met) / static_cast<double>(jobs) : 0; }
    double machine_time_per_job() const { return jobs > 0 ? machine_time / static_cast<double>(jobs) : 0; }
  };

  // `forecast_at` as the observer had it.
  RealTally(std::size_t stages, std::span<const double> forecast_at)
      : stages_(stages), forecast_at_(forecast_at.begin(), forecast_at.end()), forecasts_(forecast_at.size()) {}

  void add(const Outcome& outcome);

  std::span<const StageTally> stages() const { return stages_; }
  std::span<const double> forecast_at() const { return forecast_at_; }
  std::span<const Calibration> forecasts() const { return forecasts_; }  // by share of the deadline
  Calibration all_forecasts() const;

  Estimate pocd() const;
  // Machine time of a job in units of what it is in `base`.
  Estimate machine_time_in(const RealTally& base) const;
  double attempts_per_task() const { return attempts_ / tasks_; }
  double duplicated() const { return mapped_ / input_ - 1; }
  // Of each stage's flow times; 0 if none has ended.
  std::vector<double> median_flow_times() const;

 private:
  std::vector<StageTally> stages_;
  std::vector<double> forecast_at_;
  std::vector<Calibration> forecasts_;
  double tasks_ = 0;
  double attempts_ = 0;
  double input_ = 0;
  double mapped_ = 0;
};

}  // namespace ontime::lab
