#include "scheduler/policies/chronos/chronos_formulas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scheduler/math/numeric.h"
#include "scheduler/math/pareto.h"

namespace ontime::scheduler::pocd {
namespace {

// ln of the factor by which one attempt's time bound goes into p: a probability unless taken as printed.
double factor(double ln, Form form) { return form == Form::Corrected ? std::min(ln, 0.0) : ln; }

// ln((1 - phi) t_min / Db), Db = D - tau_est
double ln_late_start(const ChronosJob& job, double phi) {
  return ln_share_of_time(job.deadline, job.tau_est, phi, job.t_min);
}

}  // namespace

double straggler_progress(const ChronosJob& job) { return job.tau_est * job.beta / ((job.beta + 1) * job.deadline); }

double ln_miss(Strategy strategy, const ChronosJob& job, double r, Form form) {
  const double original = job.beta * factor(ln_ratio(job.t_min, job.deadline), form);  // P(T > D) = (t_min / D)^beta
  switch (strategy) {
    case Strategy::Clone:
      return (r + 1) * original;
    case Strategy::Restart:
      return original + times(job.beta * r, factor(ln_late_start(job, 0), form));
    case Strategy::Resume:
      return original + times(job.beta * (r + 1), factor(ln_late_start(job, job.phi), form));
  }
  return kNotANumber;
}

Pocd chronos_pocd(Strategy strategy, const ChronosJob& job, double r, Form form) {
  return pocd_of_equal_tasks(ln_miss(strategy, job, r, form), job.tasks);
}

double ln_miss_resume_linear(const ChronosJob& job, double r) {
  if (slack(job.deadline, job.tau_est, 0, job.t_min) < 0 || job.tau_est > job.t_min) return kNotANumber;
  const double k = job.beta * (r + 1);
  const double z = job.tau_est / job.deadline;
  // 2F1(-k, b; b + 1; z) = integral over v in [0, 1] of (1 - z v^(1/b))^k, and what it lacks to 1
  const auto ln_rest = [&](double v) { return k * std::log1p(-z * std::pow(v, 1 / job.beta)); };
  const double lacking = integrate([&](double v) { return -std::expm1(ln_rest(v)); }, 1);
  const double ln_mean =
      lacking < 0.5 ? std::log1p(-lacking) : std::log(integrate([&](double v) { return std::exp(ln_rest(v)); }, 1));
  return job.beta * ln_ratio(job.t_min, job.deadline) + k * ln_late_start(job, 0) + ln_mean;
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

namespace {

// r losers, each charged `overlap` (tau_kill - tau_est) or, exactly, until the race is over.
template <class Race>
double losers(const Race& race, double r, double overlap, CostModel model) {
  return times(r, model == CostModel::Exact ? race.mean_capped(overlap) : overlap);
}

double clone_task(const ChronosJob& job, double r, CostModel model) {
  const Pareto race = Pareto(job.t_min, job.beta).minimum_of(r + 1);
  if (model == CostModel::AsPrinted) {
    return r * job.tau_kill + job.t_min + job.t_min / excess_over_one(job.beta, r + 1);
  }
  return losers(race, r, job.tau_kill, model) + race.mean();
}

double restart_straggler(const ChronosJob& job, double r, CostModel model) {
  const RestartRace race(job, r);
  const double start = job.tau_est + losers(race, r, job.tau_kill - job.tau_est, model);
  if (model == CostModel::Exact) return start + race.mean();
  return start + job.t_min + race.mean_beyond_t_min_as_printed();
}

double resume_straggler(const ChronosJob& job, double r, CostModel model) {
  const double shortest = (1 - job.phi) * job.t_min;
  const double overlap = job.tau_kill - job.tau_est;
  if (model == CostModel::AsPrinted) {
    return job.tau_est + r * overlap +
           job.t_min * std::pow(1 - job.phi, job.beta * (r + 1)) / excess_over_one(job.beta, r + 1) + job.t_min;
  }
  // The race takes (1 - phi) min(T_2, ..., T_r+2).
  const Pareto race = Pareto(job.t_min, job.beta).minimum_of(r + 1);
  const double scale = 1 - job.phi;
  const double loser = model == CostModel::Exact && overlap > shortest
                           ? (scale > 0 ? scale * race.mean_capped(overlap / scale) : 0)
                           : overlap;
  return job.tau_est + times(r, loser) + times(scale, race.mean());
}

}  // namespace

double restart_tail_integral(const ChronosJob& job, double r) {
  return RestartRace(job, r).tail_above(job.deadline - job.tau_est);
}

double straggler_machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model) {
  switch (strategy) {
    case Strategy::Clone:
      return kNotANumber;  // all its attempts run from the start: there is no straggler to condition on
    case Strategy::Restart:
      return restart_straggler(job, r, model);
    case Strategy::Resume:
      return resume_straggler(job, r, model);
  }
  return kNotANumber;
}

double task_machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model) {
  if (strategy == Strategy::Clone) return clone_task(job, r, model);
  const Pareto original(job.t_min, job.beta);
  // E(T | T <= D) P(T <= D), whose cancelling parts eq. 20 divides and eq. 18 multiplies again
  const double in_time = job.deadline > job.t_min ? job.beta * power_integral(job.t_min, job.beta, job.deadline) : 0;
  return in_time + straggler_machine_time(strategy, job, r, model) * original.survival(job.deadline);
}

double machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model) {
  return job.tasks * task_machine_time(strategy, job, r, model);
}

double net_utility(Strategy strategy, const ChronosJob& job, double r, const Price& price, CostModel model,
                   LogBase base) {
  const double worth = ln_excess(chronos_pocd(strategy, job, r), price.r_min);
  if (worth == -kInfinity) return worth;
  const double cost = machine_time(strategy, job, r, model);
  if (cost == kInfinity) return -kInfinity;
  return (base == LogBase::Ten ? worth / std::numbers::ln10 : worth) - price.theta * price.per_time * cost;
}

OptimalCopies optimal_copies(Strategy strategy, const ChronosJob& job, const Price& price, std::uint32_t r_max,
                             CostModel model, LogBase base) {
  OptimalCopies best{std::nullopt, -kInfinity, 0, 0};
  double second = -kInfinity;
  for (std::uint32_t r = 0; r <= r_max; ++r) {
    const double utility = net_utility(strategy, job, r, price, model, base);
    if (utility == -kInfinity) {
      ++best.worthless;
    } else if (utility > best.utility) {
      second = best.utility;
      best.r = r;
      best.utility = utility;
    } else {
      second = std::max(second, utility);
    }
  }
  best.margin = best.r ? best.utility - second : 0;
  return best;
}

double gamma_threshold(Strategy strategy, const ChronosJob& job) {
  // ln of N P(T > D), divided by beta: N p(0) for Clone and Restart
  const double excess = std::log(job.tasks) / job.beta - ln_ratio(job.deadline, job.t_min);
  switch (strategy) {
    case Strategy::Clone:
      return std::log(job.tasks) / (job.beta * ln_ratio(job.deadline, job.t_min)) - 1;
    case Strategy::Restart:
      return -excess / ln_share_of_time(job.deadline, job.tau_est, 0, job.t_min);
    case Strategy::Resume:
      return -excess / ln_share_of_time(job.deadline, job.tau_est, job.phi, job.t_min) - 1;
  }
  return kNotANumber;
}

double gamma_restart_as_printed_in_appendix(const ChronosJob& job) {
  const double argument = job.beta * std::log(job.deadline) - std::log(job.tasks) - std::log(job.t_min);
  return argument / (job.beta * ln_share_of_time(job.deadline, job.tau_est, 0, job.t_min));
}

double first_concave_r(double gamma) { return std::max(0.0, std::ceil(gamma)); }

}  // namespace ontime::scheduler::pocd
