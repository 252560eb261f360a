#pragma once
// What a policy made of real stages. Jobs of one stage are alike, so intervals are over stages: each counts once.

#include <cstdint>
#include <span>
#include <vector>

#include "lab/results/interval.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {

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

  Mean pocd() const;
  // Machine time of a job in units of what it is in `base`.
  Mean machine_time_in(const RealTally& base) const;
  // Paired by stage: this less the other.
  Mean pocd_above(const RealTally& other) const;
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
