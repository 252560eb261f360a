#pragma once
// Xu & Lau's Smart Cloning Algorithm (section IV, Algorithm 1), for lightly loaded clusters: jobs that have not begun
// get c copies of every task, the integer optimum of problem P2 over all of them within the free slots, as long as the
// load is below the cut-off (section III, eqs. 1 to 5) and their tasks alone do not fill the slots. Otherwise one each.
// Jobs with the fewest tasks left get slots first.
//
// Parameters: gamma 0.01 (price of machine time against flow time), r 8 (most copies per task, at most 50), cutoff
// (load; by default omega_U of the tasks' alpha, the smallest among the jobs), slot 0.5 s, t_min, beta, t_avg, fit.
// A job of whose durations nothing is known counts as t_min = 1 s: for a job by itself c does not depend on it.
// Nothing is declined; a job's note says why its tasks have that many copies.

#include <map>
#include <string>
#include <vector>

#include "scheduler/pocd/xu_lau_p2.h"
#include "scheduler/policy/policy.h"
#include "scheduler/policy/xu_lau.h"

namespace ontime::scheduler {

class Sca final : public Policy {
 public:
  explicit Sca(Parameters& parameters);
  JobOrder order() const override { return JobOrder::ShortestRemaining; }
  Plan plan(const View& view) override;

 private:
  struct Choice {
    std::vector<std::uint32_t> copies;  // by unscheduled job
    std::string why;
  };
  Choice choose(const View& view, const Unscheduled& unscheduled) const;

  double gamma_;
  std::uint32_t copies_max_;
  std::optional<double> cutoff_;
  double slot_;
  estimate::DurationHints hints_;
  std::map<JobId, std::uint32_t> clones_;  // granted to jobs that have not begun
};

}  // namespace ontime::scheduler
