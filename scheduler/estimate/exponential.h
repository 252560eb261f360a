#pragma once
// Hadoop's ExponentiallySmoothedTaskRuntimeEstimator (idea: MAPREDUCE-2039): the rate of progress, recent reports
// counting more.

#include "scheduler/estimate/estimator.h"

namespace ontime::scheduler::estimate {

enum class Smoothed {
  Rate,            // progress per time
  TimePerProgress  // its inverse
};

// v <- w v + (1 - w) x with w = exp(-dt / lambda), x the newest rate; remaining time (1 - progress) / v.
// AsWritten takes exp(+dt / lambda), so that the newest rate gets a negative weight, and loses the first report.
class ExponentialEstimator final : public Estimator {
 public:
  // window: lambda > 0, in the unit of time.
  ExponentialEstimator(double launched, double window, Smoothed smoothed = Smoothed::Rate,
                       Defects defects = Defects::Fixed)
      : last_{launched, 0}, window_(window), smoothed_(smoothed), defects_(defects) {}

  void observe(Reading reading) override;
  std::optional<double> completion() const override;

 private:
  double weight_of_the_past(double step) const;

  Reading last_;
  double window_;
  Smoothed smoothed_;
  Defects defects_;
  bool first_seen_ = false;
  std::optional<double> value_;
};

}  // namespace ontime::scheduler::estimate
