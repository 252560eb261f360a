#include "scheduler/pocd/restart_race.h"

#include <algorithm>
#include <cmath>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/quadrature.h"

namespace ontime::scheduler::pocd {

RestartRace::RestartRace(const ChronosJob& job, double r)
    : job_(job),
      r_(r),
      earlier_(std::min(job.t_min, job.deadline - job.tau_est)),
      later_(std::max(job.t_min, job.deadline - job.tau_est)) {}

double RestartRace::mean() const { return earlier_ + one_sided(later_) + tail_above(later_); }

double RestartRace::mean_capped(double x) const {
  if (x <= earlier_) return x;
  if (x <= later_) return earlier_ + one_sided(x);
  // With w = later e^u the integrand falls off evenly.
  const auto integrand = [&](double u) { return two_sided(later_ * std::exp(u)) * std::exp(u); };
  return earlier_ + one_sided(later_) + later_ * integrate(integrand, ln_ratio(x, later_));
}

double RestartRace::one_sided(double x) const {
  if (earlier_ == job_.t_min) return power_integral(job_.t_min, job_.beta * r_, x);  // only copies may have finished
  return power_integral(job_.deadline, job_.beta, x + job_.tau_est);                 // only the original may have
}

double RestartRace::two_sided(double w) const {
  return std::exp(job_.beta * (ln_ratio(job_.deadline, w + job_.tau_est) + times(r_, ln_ratio(job_.t_min, w))));
}

double RestartRace::mean_beyond_t_min_as_printed() const {
  const double left = job_.deadline - job_.tau_est;
  if (left >= job_.t_min) return one_sided(left) + tail_above(left);
  // The two terms nearly cancel between D - tau_est and t_min; there only their difference is integrated, over u with
  // w = left e^u.
  const double power = job_.beta * r_;
  const double length = ln_ratio(job_.t_min, left);
  const auto difference = [&](double u) {
    const double original = std::expm1(-job_.beta * std::log1p(left * std::expm1(u) / job_.deadline));
    return std::exp(power * (length - u) + u) * original;
  };
  return left * integrate(difference, length) + tail_above(job_.t_min);
}

double RestartRace::tail_above(double from) const {
  const double power = excess_over_one(job_.beta, r_ + 1);  // k - 1, k = beta (r + 1)
  if (!(power > 0)) return kInfinity;
  // With w = from / u the integral is from P(from) times that of u^(k - 2) ((from + tau) / (from + tau u))^beta over
  // [0, 1]; integrating by parts takes the singularity at 0 away and leaves two positive terms.
  const double tau = job_.tau_est;
  const auto integrand = [&](double u) {
    return std::pow(u, power) * std::exp((job_.beta + 1) * -std::log1p((u - 1) * tau / (from + tau)));
  };
  const double correction = tau > 0 ? job_.beta * tau / (from + tau) * integrate(integrand, 1) : 0;
  return from * two_sided(from) * (1 + correction) / power;
}

}  // namespace ontime::scheduler::pocd
