#include "tests/pocd/chronos_paper.h"

#include <cmath>
#include <numbers>

#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler::chronos {

using namespace math;  // NOLINT
namespace {

// beta ln((1 - phi) t_min) - ln Db, which mixes a time to the power beta with a time
double printed_numerator(const ChronosJob& job) {
  return job.beta * std::log((1 - job.phi) * job.t_min) - std::log(job.deadline - job.tau_est);
}

double ln_late_start(const ChronosJob& job, double phi) {
  return ln_share_of_time(job.deadline, job.tau_est, phi, job.t_min);
}

double clone_task_as_printed(const ChronosJob& job, double r) {
  return r * job.tau_kill + job.t_min + job.t_min / excess_over_one(job.beta, r + 1);
}

// E[W] - t_min as eq. 45 has it, which takes D - tau_est >= t_min for granted; otherwise a negative number comes out.
double race_beyond_t_min_as_printed(const ChronosJob& job, double r) {
  const RestartRace race(job, r);
  const double power = job.beta * r;
  const double left = job.deadline - job.tau_est;
  if (left >= job.t_min) return power_integral(job.t_min, power, left) + race.tail_above(left);
  // The two terms nearly cancel between D - tau_est and t_min; there only their difference is integrated, over u with
  // w = left e^u.
  const double length = ln_ratio(job.t_min, left);
  const auto difference = [&](double u) {
    const double original = std::expm1(-job.beta * std::log1p(left * std::expm1(u) / job.deadline));
    return std::exp(power * (length - u) + u) * original;
  };
  return left * integrate(difference, length) + race.tail_above(job.t_min);
}

double resume_straggler(const ChronosJob& job, double r, CostModel model) {
  const double overlap = job.tau_kill - job.tau_est;
  if (model == CostModel::AsPrinted) {
    return job.tau_est + r * overlap +
           job.t_min * std::pow(1 - job.phi, job.beta * (r + 1)) / excess_over_one(job.beta, r + 1) + job.t_min;
  }
  const Pareto race = Pareto(job.t_min, job.beta).minimum_of(r + 1);
  return job.tau_est + times(r, overlap) + times(1 - job.phi, race.mean());
}

}  // namespace

double ln_miss_as_printed(Strategy strategy, const ChronosJob& job, double r) {
  const double original = job.beta * ln_ratio(job.t_min, job.deadline);
  if (strategy == Strategy::Restart) return original + times(job.beta * r, ln_late_start(job, 0));
  return original + times(job.beta * (r + 1), ln_late_start(job, job.phi));
}

double pocd_as_printed(Strategy strategy, const ChronosJob& job, double r) {
  const double ln_p = ln_miss_as_printed(strategy, job, r);
  return ln_p > 0 ? std::pow(-std::expm1(ln_p), job.tasks) : pocd_of_equal_tasks(ln_p, job.tasks).value;
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

double straggler_machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model) {
  if (strategy == Strategy::Resume) return resume_straggler(job, r, model);
  const double losers = times(r, job.tau_kill - job.tau_est);
  return job.tau_est + losers + job.t_min + race_beyond_t_min_as_printed(job, r);
}

double task_machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model) {
  if (model == CostModel::Exact) return machine_time(strategy, job, r) / job.tasks;
  if (strategy == Strategy::Clone) {
    if (model == CostModel::AsPrinted) return clone_task_as_printed(job, r);
    return times(r, job.tau_kill) + Pareto(job.t_min, job.beta).minimum_of(r + 1).mean();
  }
  const Pareto original(job.t_min, job.beta);
  const double in_time = job.deadline > job.t_min ? job.beta * power_integral(job.t_min, job.beta, job.deadline) : 0;
  return in_time + straggler_machine_time(strategy, job, r, model) * original.survival(job.deadline);
}

double net_utility(Strategy strategy, const ChronosJob& job, double r, const Price& price, CostModel model,
                   LogBase base) {
  const double worth = ln_excess(chronos_pocd(strategy, job, r), price.r_min);
  if (worth == -kInfinity) return worth;
  const double cost = job.tasks * task_machine_time(strategy, job, r, model);
  if (cost == kInfinity) return -kInfinity;
  return (base == LogBase::Ten ? worth / std::numbers::ln10 : worth) - price.theta * price.per_time * cost;
}

double gamma_threshold(Strategy strategy, const ChronosJob& job) {
  // ln of N P(T > D), divided by beta: N p(0) for Clone and Restart
  const double excess = std::log(job.tasks) / job.beta - ln_ratio(job.deadline, job.t_min);
  switch (strategy) {
    case Strategy::Clone:
      return std::log(job.tasks) / (job.beta * ln_ratio(job.deadline, job.t_min)) - 1;
    case Strategy::Restart:
      return -excess / ln_late_start(job, 0);
    case Strategy::Resume:
      return -excess / ln_late_start(job, job.phi) - 1;
  }
  return kNotANumber;
}

double gamma_restart_as_printed_in_appendix(const ChronosJob& job) {
  const double argument = job.beta * std::log(job.deadline) - std::log(job.tasks) - std::log(job.t_min);
  return argument / (job.beta * ln_late_start(job, 0));
}

double clone_beats_resume_above(const ChronosJob& job) {
  // With t_min := D: ln((1 - phi) D / Db)
  const double advantage = ln_share_of_time(job.deadline, job.tau_est, job.phi, job.deadline);
  if (!(advantage > 0)) return kInfinity;
  return -ln_late_start(job, job.phi) / advantage;
}

double theorem_7_3_as_printed(const ChronosJob& job) { return printed_numerator(job) / -std::log1p(-job.phi); }

double equation_60_as_printed(const ChronosJob& job) {
  return printed_numerator(job) / -ln_share_of_time(job.deadline, job.tau_est, job.phi, job.deadline);
}

}  // namespace ontime::scheduler::chronos
