#include "scheduler/pocd/shed_pocd.h"

#include <algorithm>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {

double ln_attempt_miss(double beta, double phi, double t_min, double deadline, double tau) {
  const double ln = ln_share_of_time(deadline, tau, phi, t_min);
  return ln < 0 ? beta * ln : 0;
}

double ln_miss(const ShedJob& job, double r, bool kept_will_miss) {
  const double attempts = kept_will_miss ? r : r + 1;
  return times(attempts, ln_attempt_miss(job.beta, job.phi, job.t_min, job.deadline, job.tau));
}

Pocd shed_pocd(const ShedJob& job, double r) { return pocd_of_equal_tasks(ln_miss(job, r), job.tasks); }

bool is_hopeless(double phi, double t_min, double deadline, double tau) {
  return !(deadline > tau) || slack(deadline, tau, phi, t_min) <= 0;
}

double straggler_shape(double t_rem, double phi, double t_min) {
  const double shape = straggler_shape_as_printed(t_rem, phi, t_min);
  return shape > 0 ? shape : kInfinity;
}

double straggler_shape_as_printed(double t_rem, double phi, double t_min) {
  const double pole = slack(t_rem, 0, phi, t_min);
  return pole == 0 ? kInfinity : t_rem / pole;
}

double check_interval(double deadline, double t_avg, double theta_prime) {
  return (deadline - t_avg) * theta_prime + t_avg;
}

}  // namespace ontime::scheduler::pocd
