#pragma once
// When Shed+ looks at running jobs, and what it finds: the segments of tasks that their own pace will not bring in by
// the deadline, and what fresh attempts could do for them.

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/policies/decision.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"

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
  std::vector<Decline> declined;  // late tasks that copies are no use for, at most one each, in the same order
};

// Sets is_lost of the jobs. A copy works on what is behind the hand-over and has what the launch leaves of the time for
// it; Shed+'s eqs. 6 and 9 give it all that is left now and all the time. `straggler_shape`: the shape of a copy's
// Pareto tail is the straggler's own (eq. 14), otherwise the application's.
FoundStragglers find_stragglers(const View& view, std::vector<WatchedJob>& jobs, bool straggler_shape);

}  // namespace ontime::scheduler
