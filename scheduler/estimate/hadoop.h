#pragma once
// Hadoop's LegacyTaskRuntimeEstimator: elapsed time over progress, as if the attempt had worked from its launch on.

#include <optional>

#include "scheduler/estimate/estimator.h"

namespace ontime::scheduler::estimate {

// (now - start) / max(1e-4, progress): run time in the unit of the arguments; nothing unless 0 < start < now. (Hadoop
// counts milliseconds since 1970 and answers -1.)
std::optional<double> hadoop_runtime(double start, double now, double progress);

// The instant of completion with the launch time inside the estimate, t_lau + (t_now - t_lau) / CP; infinite at CP = 0.
// What Chronos (section VI-B) compares its own estimate with.
double hadoop_completion(double launched, double now, double progress);

class HadoopEstimator final : public Estimator {
 public:
  explicit HadoopEstimator(double launched) : launched_(launched) {}

  void observe(Reading reading) override;
  std::optional<double> completion() const override;

 private:
  double launched_;
  std::optional<Reading> last_;
};

}  // namespace ontime::scheduler::estimate
