#pragma once
// When Shed+ looks for stragglers (Shed+ sections IV-C, V and VI-A): at a job from xi of its deadline on, at all of
// them every theta seconds and whenever another one has come to xi. There is one clock for all jobs, so the smallest
// theta among the jobs that are looked at counts.

#include <optional>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/view.h"

namespace ontime::scheduler {

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

}  // namespace ontime::scheduler
