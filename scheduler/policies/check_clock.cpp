#include "scheduler/policies/check_clock.h"

#include <algorithm>

#include "scheduler/policies/shed/shed_formulas.h"

namespace ontime::scheduler {
namespace {

constexpr double kLongest = 1e9;  // seconds; what a TimePoint can hold in any case

}  // namespace

CheckTimes check_times(Parameters& parameters) {
  CheckTimes times;
  times.theta = parameters.optional_duration("theta");
  times.theta_prime = parameters.number("theta_prime", times.theta_prime, 0, 1);
  times.xi = parameters.number("xi", times.xi, 0, 1);
  return times;
}

TimePoint CheckClock::first_look(const JobView& job) const {
  return job.job->submitted_at + from_seconds(times_.xi * job.deadline());
}

bool CheckClock::is_watched(const JobView& job, TimePoint now) const {
  return job.has_deadline() && now >= first_look(job) && now < job.job->submitted_at + job.job->spec.deadline;
}

bool CheckClock::is_due(const View& view) const {
  return std::any_of(view.jobs.begin(), view.jobs.end(), [&](const JobView& job) {
    return is_watched(job, view.now) && (!last_ || view.now >= next_ || first_look(job) > *last_);
  });
}

void CheckClock::checked(TimePoint now, double theta) {
  last_ = now;
  next_ = now + from_seconds(std::min(theta, kLongest));
}

double CheckClock::interval(const JobView& job, double launch) const {
  return times_.theta.value_or(pocd::check_interval(job.deadline(), launch, times_.theta_prime));
}

std::optional<TimePoint> CheckClock::next(const View& view) const {
  std::optional<TimePoint> next;
  const auto add = [&](TimePoint at) { next = next ? std::min(*next, at) : at; };
  for (const JobView& job : view.jobs) {
    if (is_watched(job, view.now)) {
      add(last_ ? next_ : view.now);
    } else if (job.has_deadline() && first_look(job) > view.now) {
      add(first_look(job));
    }
  }
  return next;
}

}  // namespace ontime::scheduler
