#pragma once
// Hadoop's DataStatistics: mean and spread of the durations of a job's finished tasks, and what its estimators conclude
// about a new attempt.

#include <cstddef>

#include "scheduler/estimate/estimator.h"

namespace ontime::scheduler::estimate {

// Each finished task is counted once. Unit: that of the durations. All 0 while nothing is counted.
class DurationStatistics {
 public:
  void add(double duration);

  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  double deviation() const;  // of the population; 0 for one duration

  // mean + sigma deviation: longer is an outlier.
  double outlier(double sigma) const { return mean_ + sigma * deviation(); }

  // Upper end of the mean's 95 % confidence interval, mean + 1.96 deviation / sqrt(n). From a single duration it is
  // the mean; AsWritten it is 0 then, and a new attempt seems to take no time at all.
  double mean_bound(Defects defects = Defects::Fixed) const;

  // What the simple exponential estimator expects of a new attempt: m + min(m / 4, deviation / 2), m = mean_bound.
  double new_attempt(Defects defects = Defects::Fixed) const;

 private:
  std::size_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared distances from the mean (Welford)
};

}  // namespace ontime::scheduler::estimate
