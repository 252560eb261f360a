#include <algorithm>
#include <cmath>
#include <numbers>

#include "scheduler/math/distributions.h"
#include "scheduler/policies/chronos/chronos.h"

namespace ontime::scheduler::chronos {

using namespace math;  // NOLINT: the formulas are written with nothing else
namespace {

// Clamps the logarithm of a factor of p to a probability's logarithm.
double ln_probability(double ln) { return std::min(ln, 0.0); }

// ln((1 - phi) t_min / Db), Db = D - tau_est
double ln_late_start(const ChronosJob& job, double phi) {
  return ln_share_of_time(job.deadline, job.tau_est, phi, job.t_min);
}

}  // namespace

double straggler_progress(const ChronosJob& job) { return job.tau_est * job.beta / ((job.beta + 1) * job.deadline); }

double ln_miss(Strategy strategy, const ChronosJob& job, double r) {
  const double original = job.beta * ln_probability(ln_ratio(job.t_min, job.deadline));  // P(T > D) = (t_min / D)^beta
  switch (strategy) {
    case Strategy::Clone:
      return (r + 1) * original;
    case Strategy::Restart:
      return original + times(job.beta * r, ln_probability(ln_late_start(job, 0)));
    case Strategy::Resume:
      return original + times(job.beta * (r + 1), ln_probability(ln_late_start(job, job.phi)));
  }
  return kNotANumber;
}

Pocd chronos_pocd(Strategy strategy, const ChronosJob& job, double r) {
  return pocd_of_equal_tasks(ln_miss(strategy, job, r), job.tasks);
}

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

double RestartRace::tail_above(double from) const {
  const double power = excess_over_one(job_.beta, r_ + 1);  // k - 1, k = beta (r + 1)
  if (!(power > 0)) return kInfinity;
  // With w = from / u the integral is from P(from) times the integral of u^(k - 2) ((from + tau) / (from + tau u))^beta
  // over [0, 1]; integrating by parts takes the singularity at 0 away and leaves two positive terms.
  const double tau = job_.tau_est;
  const auto integrand = [&](double u) {
    return std::pow(u, power) * std::exp((job_.beta + 1) * -std::log1p((u - 1) * tau / (from + tau)));
  };
  const double correction = tau > 0 ? job_.beta * tau / (from + tau) * integrate(integrand, 1) : 0;
  return from * two_sided(from) * (1 + correction) / power;
}

namespace {

double clone_task(const ChronosJob& job, double r) {
  const Pareto race = Pareto(job.t_min, job.beta).minimum_of(r + 1);
  return times(r, race.mean_capped(job.tau_kill)) + race.mean();
}

// E(T_j | T_j,1 > D), eq. 16.
double restart_straggler(const ChronosJob& job, double r) {
  const RestartRace race(job, r);
  return job.tau_est + times(r, race.mean_capped(job.tau_kill - job.tau_est)) + race.mean();
}

// E(T_j | T_j,1 > D), eqs. 21-22. The race takes (1 - phi) min(T_2, ..., T_r+2).
double resume_straggler(const ChronosJob& job, double r) {
  const Pareto race = Pareto(job.t_min, job.beta).minimum_of(r + 1);
  const double scale = 1 - job.phi;
  const double overlap = job.tau_kill - job.tau_est;
  double loser = overlap;  // nobody can finish before tau_kill
  if (overlap > scale * job.t_min) loser = scale > 0 ? scale * race.mean_capped(overlap / scale) : 0;
  return job.tau_est + times(r, loser) + times(scale, race.mean());
}

double task_machine_time(Strategy strategy, const ChronosJob& job, double r) {
  if (strategy == Strategy::Clone) return clone_task(job, r);
  const Pareto original(job.t_min, job.beta);
  // E(T | T <= D) P(T <= D), whose cancelling parts eq. 20 divides and eq. 18 multiplies again
  const double in_time = job.deadline > job.t_min ? job.beta * power_integral(job.t_min, job.beta, job.deadline) : 0;
  const double straggler = strategy == Strategy::Restart ? restart_straggler(job, r) : resume_straggler(job, r);
  return in_time + straggler * original.survival(job.deadline);
}

}  // namespace

double machine_time(Strategy strategy, const ChronosJob& job, double r) {
  return job.tasks * task_machine_time(strategy, job, r);
}

double net_utility(Strategy strategy, const ChronosJob& job, double r, const Price& price) {
  const double worth = ln_excess(chronos_pocd(strategy, job, r), price.r_min);
  if (worth == -kInfinity) return worth;
  const double cost = machine_time(strategy, job, r);
  if (cost == kInfinity) return -kInfinity;
  return worth / std::numbers::ln10 - price.theta * price.per_time * cost;
}

OptimalCopies optimal_copies(Strategy strategy, const ChronosJob& job, const Price& price, std::uint32_t r_max) {
  OptimalCopies best{std::nullopt, -kInfinity};
  for (std::uint32_t r = 0; r <= r_max; ++r) {
    const double utility = net_utility(strategy, job, r, price);
    if (utility > best.utility) best = {r, utility};
  }
  return best;
}

}  // namespace ontime::scheduler::chronos
