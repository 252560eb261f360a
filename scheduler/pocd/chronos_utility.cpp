#include "scheduler/pocd/chronos_utility.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/chronos_pocd.h"

namespace ontime::scheduler::pocd {

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
