#pragma once
// Xu & Lau's Enhanced Speculative Execution (section VI, Algorithm 2), for heavily loaded clusters: of the running
// tasks with one attempt those whose remaining time is longer than sigma E[x] get one copy each, the longest first, and
// before anything that waits. sigma* is what costs the least machine time (eqs. 30 to 33). Jobs with the fewest tasks
// left get slots first. Small jobs that have not begun (m < eta N / |chi| and E[x] < xi) get clones by eq. 29 when
// slots are left.
//
// In the paper a slot begins with the machines that have become idle; here waiting tasks take a slot as it becomes
// free, so under load none is ever idle when the policy looks. It asks ahead for as many copies as slots will become
// free until it looks again (live attempts x slot / E[x]); they are launched first. ahead=no keeps to idle slots.
// With xi=0s there are no clones.
//
// Parameters: sigma (by default sigma* of the tasks' alpha), gamma 0.01, r 8, eta 0.1, xi 1s (the paper's units; with
// them it never clones in the paper's own simulation), ahead yes, slot 0.5 s, t_min, beta, t_avg, fit.
// Declines slow tasks that have copies (already-speculating) or that find no slot (no-free-slot), and compressed inputs
// (no-estimate).

#include <map>
#include <optional>

#include "scheduler/policy/policy.h"
#include "scheduler/policy/xu_lau.h"

namespace ontime::scheduler {

class Ese final : public Policy {
 public:
  explicit Ese(Parameters& parameters);
  JobOrder order() const override { return JobOrder::ShortestRemaining; }
  bool plans_at_submission() const override { return xi_ > 0; }  // for clones of small jobs
  Plan plan(const View& view) override;

 private:
  void look(const View& view, Plan& plan, std::uint32_t& idle);
  std::uint32_t machines_ahead(const View& view) const;
  const DetectionLimit* limit_of(const View& view, const JobView& job, Plan& plan);
  void clone_small_jobs(const View& view, Plan& plan, std::uint32_t idle);
  std::uint32_t best_copies(const pocd::ClonedJob& job, std::uint64_t room) const;

  std::optional<double> sigma_;
  double gamma_;
  std::uint32_t copies_max_;
  double eta_;
  double xi_;
  bool is_ahead_;
  double slot_;
  estimate::DurationHints hints_;
  std::optional<TimePoint> next_look_;
  std::map<JobId, DetectionLimit> limits_;
  std::map<JobId, std::uint32_t> clones_;  // granted to jobs that have not begun
};

}  // namespace ontime::scheduler
