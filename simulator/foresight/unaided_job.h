#pragma once
// The formula for a job without copies that has a slot for every task: done when the last of its tasks is, each after
// the launch time and a Pareto time in proportion to its bytes, independently.

#include <cstdint>
#include <map>
#include <vector>

#include "scheduler/pocd/pareto.h"

namespace ontime::simulator {

class UnaidedJob {
 public:
  // `shares`: bytes of each task against those that (t_min, beta) speak of.
  UnaidedJob(double t_min, double beta, double launch, const std::vector<double>& shares);

  double done_by(double time) const;  // probability
  double quantile(double q) const;    // the time by which it is done with probability q, 0 < q < 1
  double machine_time() const;        // expected; infinite for beta <= 1

 private:
  const scheduler::pocd::Pareto whole_;
  const double launch_;
  std::map<double, std::uint64_t> tasks_;  // how many by share
};

}  // namespace ontime::simulator
