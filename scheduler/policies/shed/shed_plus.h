#pragma once
// Shed+: when it looks at running jobs, which of their segments are late, how many copies each of them gets in a joint
// grant, and the policy.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "scheduler/policies/decision.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/shed/shed.h"

namespace ontime::scheduler {

// When it looks (Shed+ sections IV-C, V and VI-A): at a job from xi of its deadline on, at all of them every theta
// seconds and whenever another one has come to xi. There is one clock for all jobs, so the smallest theta among the
// jobs that are looked at counts.

struct CheckTimes {
  std::optional<double> theta;  // seconds; without it by eq. 17
  double theta_prime = 0.05;    // share of what is left of the deadline after one launch
  double xi = 0.1;              // share of the deadline
};

// theta, theta_prime, xi
CheckTimes check_times(Parameters& parameters);

// Remembers when it looked last; a fresh one looks at once at all jobs that are past xi.
class CheckClock {
 public:
  explicit CheckClock(CheckTimes times) : times_(times) {}

  // It has a deadline that is still ahead, and is past xi.
  bool is_watched(const JobView& job, TimePoint now) const;
  bool is_due(const View& view) const;
  // Everything that is watched was looked at now. `theta`: the smallest of their check_interval()s.
  void checked(TimePoint now, double theta);
  // theta of one job, seconds. `launch`: mean launch time in seconds.
  double interval(const JobView& job, double launch) const;
  // Nothing if no job ever needs a look.
  std::optional<TimePoint> next(const View& view) const;

 private:
  TimePoint first_look(const JobView& job) const;  // when the job comes to xi

  CheckTimes times_;
  std::optional<TimePoint> last_;
  TimePoint next_;  // theta after last_
};

// What it finds: one pass over the outlook's flat arrays; the tasks themselves are touched only where something is late
// or raced.

struct WatchedJob {
  const JobView* view = nullptr;
  math::Durations durations;
  bool is_lost = false;  // some task cannot be in time, whatever is done
};

struct Straggler {
  std::uint32_t job = 0;  // position among the watched ones
  TaskId task;
  std::uint64_t segment = 0;
  std::uint64_t resume_at = 0;  // where the copies are to take over
  NodeId node;                  // of the attempt that is ahead
  double completion = 0;        // by that attempt, seconds after submission
  double ln_copy = 0;           // ln of a copy's probability to miss the deadline
  bool is_told = false;         // there is a Decline for the task already
};

struct FoundStragglers {
  std::vector<Straggler> stragglers;  // that copies could bring in; in order of job and task
  std::vector<AttemptId> slower;      // attempts of raced or late tasks that are not the first on any segment
  std::vector<Decline> declined;      // late tasks that copies are no use for, at most one each, in the same order
};

// Sets is_lost of the jobs. A copy works on what is behind the hand-over and has what the launch leaves of the time for
// it; Shed+'s eqs. 6 and 9 give it all that is left now and all the time. `straggler_shape`: the shape of a copy's
// Pareto tail is the straggler's own (eq. 14), otherwise the application's.
FoundStragglers find_stragglers(const View& view, std::vector<WatchedJob>& jobs, bool straggler_shape);

struct GrantRule {
  math::Objective objective = math::Objective::SumLog;
  std::uint32_t max = 5;    // copies per segment
  bool kept_misses = true;  // the attempt that is ahead is certain to be late; otherwise it is drawn anew like a copy
  double gain_min = 0;      // of a segment's second copy and further ones, in ln PoCD: others are not granted
};

struct SegmentGrant {
  std::uint32_t copies = 0;
  double pocd_before = 0;  // of the segment
  double pocd_after = 0;
};

// By segment. At most `kappa` copies in all.
//
// Where kept attempts are certain to be late, a job without a copy for each of its late segments has R = 0, so the
// optimum gives nothing to a job that needs more than there is. What the optimum leaves over goes to such jobs all the
// same, as if their kept attempts were drawn anew: slots that are set free later may complete what was begun.
std::vector<SegmentGrant> grant_copies(const View& view, std::span<const WatchedJob> jobs,
                                       std::span<const Straggler> stragglers, std::int64_t kappa,
                                       const GrantRule& rule);

// Shed+ (Shed+ sections IV and V, Algorithm 1): at every check the fastest attempt of each straggling task is kept, the
// others are ended, and the free slots are granted as copies of single stragglers so that the PoCDs of all jobs
// together are greatest. The copies take over at the hand-over offset (eqs. 15, 16); the attempt that is kept races
// them.
//
//   theta          seconds between checks; by default (D - t_avg) theta_prime + t_avg (eq. 17), of the watched jobs the
//                  smallest
//   theta_prime    0.05   0 to 1
//   xi             0.1    a job is looked at from this share of its deadline on
//   lambda         1      share of the slots that jobs may use, 0.01 to 1
//   max            5      copies per check and straggler, 1 to 1000
//   reserve_am     no     leaves one slot per running job for its ApplicationMaster, as in the paper
//   objective      sum-log | sum | max-min   alpha = 1, 0, infinity
//   kept           misses | redrawn   whether a kept attempt goes on at its pace, and so is late, or is
//                  drawn anew (exponent r or r + 1)
//   shape          straggler | application   of a copy's tail: eq. 14, or fitted
//   tail           pareto | auto | lognormal | empirical   of execution times (math/tail_choice.h); a copy's odds
//                  are the application's unless it is pareto. Others than pareto: a copy that is in time with less than
//                  0.05 is hopeless, as there is no shortest time
//   gain           0, with another tail than pareto 0.01   least gain in ln PoCD of a further copy of a segment
//   handover, release (no), t_min, beta, t_avg, fit
//
// Declines: cut-pending, too-young (an attempt of the task has run for less than one launch), no-estimate,
// remaining-shorter-than-launch, copy-would-be-later, hopeless (also when another task of the job is), no-other-node,
// no-free-slot, cap-reached (by lambda or reserve_am), not-worth-it.

struct ShedPlusSettings {
  CheckTimes times;
  Sharing sharing;
  bool kept_misses = true;
  bool straggler_shape = true;
  Handover handover = Handover::Predicted;
  bool release = false;
  double gain_min = 0;
  math::DurationHints durations;
};

class ShedPlus final : public Policy {
 public:
  explicit ShedPlus(ShedPlusSettings settings) : settings_(std::move(settings)), clock_(settings_.times) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  Plan plan(const View& view) override;

 private:
  std::vector<WatchedJob> watch(const View& view);
  void check(const View& view, Plan& plan);
  void grant(const View& view, const std::vector<WatchedJob>& jobs, const std::vector<Straggler>& stragglers,
             const CopyBudget& budget, Plan& plan) const;
  void speculate(const Straggler& late, const SegmentGrant& grant, Plan& plan) const;
  void describe(const std::vector<WatchedJob>& jobs, const FoundStragglers& found, Plan& plan);

  ShedPlusSettings settings_;
  CheckClock clock_;
  JobId newest_;               // jobs up to here have been introduced
  std::set<JobId> described_;  // whose durations were noted
};

}  // namespace ontime::scheduler
