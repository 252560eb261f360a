#pragma once
// The formula for a job without copies that has a slot for every task: done when the last of its tasks is, each after
// the launch time and an execution time in proportion to its bytes, independently.

#include <cstdint>
#include <map>
#include <vector>

#include "scheduler/math/fitted_tail.h"

namespace ontime::lab {

class UnaidedJob {
 public:
  // `whole`: seconds for a whole split. `shares`: bytes of each task against that.
  UnaidedJob(scheduler::math::FittedTail whole, double launch, const std::vector<double>& shares);

  double done_by(double time) const;  // probability
  double quantile(double q) const;    // the time by which it is done with probability q, 0 < q < 1
  double machine_time() const;        // expected; infinite if the mean of `whole` is

 private:
  const scheduler::math::FittedTail whole_;
  const double launch_;
  std::map<double, std::uint64_t> tasks_;  // how many by share
};

}  // namespace ontime::lab
