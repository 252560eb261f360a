#pragma once
// Xu & Lau's Straggler Detection Algorithm (section V): a task that has done the share s of its work and whose
// estimated remaining time is longer than sigma E[x] gets c - 1 copies, once. sigma* and c* are what costs the least
// machine time (eqs. 18 to 28): c* = 2 for alpha > 1.56, 3 below. Jobs with the fewest tasks left get slots first.
//
// Parameters: s 0.1 (the paper leaves it open; small values do best), sigma and c (attempts of a straggler in all; by
// default sigma* and c* of the tasks' alpha), slot 0.5 s, t_min, beta, t_avg, fit. E[x] is the launch time and the mean
// execution time. Until five attempts have finished, or with a profile, t_min is the fastest attempt's pace.
// Declines slow tasks that have not done s (too-young), have copies (already-speculating) or find no slot
// (no-free-slot), and compressed inputs (no-estimate).

#include <map>
#include <optional>

#include "scheduler/policy/policy.h"
#include "scheduler/policy/xu_lau.h"

namespace ontime::scheduler {

class Sda final : public Policy {
 public:
  explicit Sda(Parameters& parameters);
  JobOrder order() const override { return JobOrder::ShortestRemaining; }
  bool plans_at_submission() const override { return false; }
  Plan plan(const View& view) override;

 private:
  void look(const View& view, Plan& plan);
  const DetectionLimit* limit_of(const View& view, const JobView& job, Plan& plan);
  DetectionLimit limit_for(const TaskTimes& times) const;

  double s_;
  std::optional<double> sigma_;
  std::optional<std::uint32_t> copies_;
  double slot_;
  estimate::DurationHints hints_;
  std::optional<TimePoint> next_look_;
  std::map<JobId, DetectionLimit> limits_;
};

}  // namespace ontime::scheduler
