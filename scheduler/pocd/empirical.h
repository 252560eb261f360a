#pragma once
// Execution times as they were seen, without a model: Kaplan and Meier's estimate from finished and running attempts.

#include <optional>
#include <span>
#include <vector>

#include "scheduler/pocd/tail.h"

namespace ontime::scheduler::pocd {

// A step function. Where the longest attempt still runs, the probability left over lies beyond everything seen:
// survival stays at it and mean() is infinite, because nothing is known about where it ends.
class EmpiricalTail final : public Tail {
 public:
  // Nothing when no attempt has finished.
  static std::optional<EmpiricalTail> from(std::span<const double> finished, std::span<const double> running);

  double ln_survival(double t) const override;
  double quantile(double q) const override;
  double mean() const override;
  double mean_capped(double x) const override;

 private:
  struct Step {
    double time;
    double survival;  // P(T > time), until the next step
  };
  explicit EmpiricalTail(std::vector<Step> steps) : steps_(std::move(steps)) {}

  std::vector<Step> steps_;  // ascending in time, descending in survival
};

}  // namespace ontime::scheduler::pocd
