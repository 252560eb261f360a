#pragma once
// What was expected of many jobs beside what came true.

#include <cstdint>
#include <vector>

#include "lab/campaigns/forecast_trial.h"
#include "lab/results/interval.h"

namespace ontime::lab {

class ForecastTally {
 public:
  // The reading at that share of each job's life.
  explicit ForecastTally(double share) : share_(share) {}

  void add(const ForecastTrial& trial);

  const Calibration& pocd() const { return pocd_; }
  // Brier score over the score of always saying the base rate.
  double brier_ratio() const { return pocd_.brier() / pocd_.uncertainty(); }
  double inside() const;  // share of ends within low..high
  // Of |expected end - end| / end.
  double median_error_of_one_wave() const { return median(errors_of_one_wave_); }
  double median_error_of_more() const { return median(errors_of_more_); }

 private:
  static double median(std::vector<double> values);

  double share_;
  Calibration pocd_;
  std::uint64_t ends_ = 0;
  std::uint64_t inside_ = 0;
  std::vector<double> errors_of_one_wave_;
  std::vector<double> errors_of_more_;
};

}  // namespace ontime::lab
