#pragma once
// Chronos' Clone (section III, Theorems 1 and 2): every task starts with r extra attempts; at tau_kill the one that
// will be done first goes on and the others are ended.
//
// Parameters: chronos_plan.h, without tau_est. r is the optimum of eq. 26, but no more than the free slots allow at
// submission: clones that had to wait for slots would only hold up other jobs. When t_min is not known at submission,
// neither from a profile nor from a flag, every task gets one. Declines jobs without a deadline.

#include "scheduler/policy/chronos.h"

namespace ontime::scheduler {

class Clone final : public Chronos {
 public:
  explicit Clone(Parameters& parameters) : Chronos(chronos_settings(pocd::Strategy::Clone, parameters)) {}

 protected:
  void begin(ChronosTurn& turn, const JobView& job, const ChronosChoice* choice) override;
  void learn(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice) override;
  Verdict help(ChronosTurn&, const JobView&, const ChronosChoice&, const Piece&) override { return Verdict::Settled; }
};

}  // namespace ontime::scheduler
