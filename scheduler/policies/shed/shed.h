#pragma once
// Shed (Shed sections IV and V, Algorithm 1): whenever a job is submitted, all jobs with a deadline get their number
// r_j of copies per task anew, so that their PoCDs (Theorem 1 for the new one, Theorem 2 for those that run) together
// are greatest. A new job's tasks start with r_j copies. Of each running task the fastest attempt is kept, the others
// are ended, and r_j copies take over at the hand-over offset (eqs. 14, 15). Between submissions nothing is decided.
//
// The grant is the optimum of the objective, and hopeless jobs get nothing; Algorithm 1 is max-min and feeds them
// first.
//
//   lambda, max, reserve_am, objective   as of shed+
//   handover, release (no), t_min, beta, t_avg, fit
//
// Of a job of which nothing is known t_min is taken to be half its deadline. Declines, of tasks that are late: those of
// shed+ except not-worth-it.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/shed/copy_budget.h"

namespace ontime::scheduler {

struct ShedSettings {
  Sharing sharing;
  Handover handover = Handover::Predicted;
  bool release = false;
  math::DurationHints durations;
};

class Shed final : public Policy {
 public:
  explicit Shed(ShedSettings settings) : settings_(std::move(settings)) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  Plan plan(const View& view) override;

 private:
  void optimise(const View& view, Plan& plan);

  ShedSettings settings_;
  JobId newest_;                      // jobs up to here have been there already
  std::map<JobId, std::uint32_t> r_;  // of the last optimisation
};

}  // namespace ontime::scheduler
