#pragma once
// Hadoop's SimpleExponentialTaskRuntimeEstimator (MAPREDUCE-7208; the poster "A Comprehensive Review of Speculation for
// Hadoop Ecosystem"): exponential smoothing of the rate of progress with a weight that follows the time between
// reports.

#include "scheduler/estimate/estimator.h"

namespace ontime::scheduler::estimate {

// S_k = alpha X_k + (1 - alpha) S_k-1, the poster's recursion; S_0 = X_0, alpha in [0, 1].
double smooth(double alpha, double newest, double smoothed);

struct SmoothingSettings {
  double window = 120;           // lambda: time constant
  unsigned skip = 24;            // readings that are taken in before the first forecast is given
  double least_rate = 1e-7;      // AsWritten: progress per unit of time that stands in for no forecast (1e-10 per ms)
  double stagnated_after = 360;  // time without progress
};

// With reading n at time t: x = (p - p') / (t - t'), alpha = 1 - exp(-(t - t') / lambda), S <- alpha x + (1 - alpha) S.
// S starts as the mean rate from launch to the first reading. A reading that brings neither time nor progress is
// ignored; one at the same time replaces the last. When `skip` readings are in, lambda grows to the time they took.
class SimpleExponentialEstimator final : public Estimator {
 public:
  SimpleExponentialEstimator(double launched, SmoothingSettings settings, Defects defects = Defects::Fixed)
      : launched_(launched), settings_(settings), defects_(defects) {}

  void observe(Reading reading) override;

  // last report + (1 - progress) / forecast. AsWritten always has an opinion, at 1e-10 per ms if there is no forecast:
  // a young attempt then looks like the worst straggler.
  std::optional<double> completion() const override;

  unsigned readings() const { return now_.index; }  // accepted
  double smoothed_rate() const { return now_.rate; }
  std::optional<double> forecast() const;  // the rate, when enough readings are in

  // No report has brought progress for too long. AsWritten has the comparison the wrong way round.
  bool is_stagnated(double now) const;

 private:
  struct State {
    Reading reading;
    double rate = 0;  // S
    unsigned index = 0;
  };

  void start(Reading first);

  double launched_;
  SmoothingSettings settings_;
  Defects defects_;
  bool started_ = false;
  State now_;
  State before_;  // to go back to when a reading replaces the last one
  double last_gain_ = 0;
};

}  // namespace ontime::scheduler::estimate
