#pragma once
// Maximum-likelihood fit of (t_min, beta) from attempts that have finished and attempts that still run (censored).

#include <cstddef>
#include <optional>
#include <span>

#include "scheduler/pocd/pareto.h"

namespace ontime::scheduler::pocd {

struct ParetoFit {
  Pareto distribution;
  double beta_error = 0;     // standard error of beta: beta / sqrt(finished); how far the fit can be trusted
  std::size_t finished = 0;  // attempts that the fit rests on
  std::size_t running = 0;   // of the others, those that have run longer than t_min and so say something about beta
};

// finished: execution times, > 0; running: times run so far. t_min is the shortest finished time and
// beta = finished / (sum of ln(t / t_min) over finished and running). Nothing when no attempt has finished; beta is
// infinite when all finished at the same time and none ran longer.
std::optional<ParetoFit> fit_pareto(std::span<const double> finished, std::span<const double> running);

// The same with a known t_min, as from earlier jobs of the same application; times below t_min count as t_min.
std::optional<ParetoFit> fit_pareto_beta(double t_min, std::span<const double> finished,
                                         std::span<const double> running);

}  // namespace ontime::scheduler::pocd
