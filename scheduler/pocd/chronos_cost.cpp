#include "scheduler/pocd/chronos_cost.h"

#include <cmath>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/pareto.h"
#include "scheduler/pocd/restart_race.h"

namespace ontime::scheduler::pocd {
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

}  // namespace ontime::scheduler::pocd
