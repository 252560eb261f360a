#pragma once
// Chronos, section VI-B (eq. 30): completion without the launch time, which Hadoop counts as work.

#include <optional>

#include "scheduler/estimate/estimator.h"
#include "scheduler/pocd/form.h"

namespace ontime::scheduler::estimate {

// t_ect = t_now + (1 - CP) (t_now - t_FP) / (CP - FP): what is left at the mean rate since the first report (t_FP, FP).
// Right for an attempt that resumes at FP > 0 too, where the paper's t_FP + (t_now - t_FP) / (CP - FP) counts the part
// already done once more. Infinite for CP = FP.
double chronos_completion(Reading first, Reading now, pocd::Form form = pocd::Form::Corrected);

// The same from bytes: an attempt at `offset` (absolute) that read its first byte report at first_offset and works up
// to `end`. For resumed and divided attempts, whose ranges are not whole splits.
struct ByteReading {
  double time = 0;
  double offset = 0;
};
double byte_completion(ByteReading first, ByteReading now, double end);

class ChronosEstimator final : public Estimator {
 public:
  void observe(Reading reading) override;
  std::optional<double> completion() const override;

 private:
  std::optional<Reading> first_;
  Reading now_;
};

}  // namespace ontime::scheduler::estimate
