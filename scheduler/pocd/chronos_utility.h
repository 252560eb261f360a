#pragma once
// Chronos, section V (eqs. 23-29): net utility, the r that maximises it, and the thresholds Gamma beyond which it is
// concave.

#include <cstdint>
#include <optional>

#include "scheduler/pocd/chronos_cost.h"
#include "scheduler/pocd/chronos_job.h"

namespace ontime::scheduler::pocd {

// The paper writes lg; its Tables I and II can only have been made with log10.
enum class LogBase { Ten, E };

// What PoCD and machine time are worth against each other.
struct Price {
  double r_min = 0;     // R_min in [0, 1): the PoCD below which a result is worthless
  double theta = 0;     // trade-off factor >= 0, 1 / money
  double per_time = 0;  // C >= 0: money per unit of machine time
};

// U(r) = lg(R(r) - R_min) - theta C E(T), eq. 26; -inf where R <= R_min or E(T) is infinite. Corrected PoCD always.
double net_utility(Strategy strategy, const ChronosJob& job, double r, const Price& price,
                   CostModel model = CostModel::Exact, LogBase base = LogBase::Ten);

struct OptimalCopies {
  std::optional<std::uint32_t> r;  // the smallest of the best; nothing when every r is worthless
  double utility = 0;              // U at r, or -inf
  double margin = 0;               // how much better than the second best
  std::uint32_t worthless = 0;     // how many r of 0..r_max have U = -inf
};

// The exact optimum by trying r = 0..r_max. This stands in for the paper's Algorithm 1, whose listing descends, never
// changes r and never rounds; 50 evaluations
// take a millisecond or two, once per job, so nothing is gained by climbing.
OptimalCopies optimal_copies(Strategy strategy, const ChronosJob& job, const Price& price, std::uint32_t r_max = 50,
                             CostModel model = CostModel::Exact, LogBase base = LogBase::Ten);

// Gamma, eqs. 27-29: R(r) is concave beyond it, where N p(r) = 1. Dimensionless, may be negative. Domain: D > t_min;
// D - tau_est > t_min (Restart); D - tau_est > (1 - phi) t_min (Resume); outside it means nothing.
double gamma_threshold(Strategy strategy, const ChronosJob& job);

// Eq. 62, the appendix' print of eq. 28 without the power beta on t_min: depends on the unit of time. To reproduce
// only.
double gamma_restart_as_printed_in_appendix(const ChronosJob& job);

// The smallest r >= Gamma that makes sense: max(0, ceil(Gamma)).
double first_concave_r(double gamma);

}  // namespace ontime::scheduler::pocd
