#pragma once
// What Chronos prints and nothing ships: its formulas to the letter where they are misprinted, costs that charge every
// loser until tau_kill, and its comparisons of strategies. Kept to check them against the golden files, and what is
// shipped against them.

#include <cstdint>

#include "scheduler/policies/chronos/chronos.h"

namespace ontime::scheduler::chronos {

// Theorems 3 and 5 without the clamp to a probability: ln p may exceed 0, R may leave [0, 1].
double ln_miss_as_printed(Strategy strategy, const ChronosJob& job, double r);
double pocd_as_printed(Strategy strategy, const ChronosJob& job, double r);

// ln p of S-Resume when every straggler's progress is its own, linear one, phi = tau_est / T, instead of one constant:
// p = (t_min/D)^beta (t_min/Db)^k 2F1(-k, beta; beta + 1; tau_est/D), Db = D - tau_est, k = beta (r + 1).
// Domain: D - tau_est >= t_min and tau_est <= t_min, else NaN. job.phi is not used.
double ln_miss_resume_linear(const ChronosJob& job, double r);

enum class CostModel {
  AsPrinted,  // the letter of the paper, but with the factor N that eqs. 15 and 18 lack
  Corrected,  // eq. 22 put right; every loser is still charged until tau_kill
  Exact       // what is shipped
};

double task_machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model);
// E(T_j | T_j,1 > D), eqs. 16 and 21-22; Restart and Resume, not Exact.
double straggler_machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model);

enum class LogBase { Ten, E };
double net_utility(Strategy strategy, const ChronosJob& job, double r, const Price& price, CostModel model,
                   LogBase base);

// Gamma, eqs. 27-29: R(r) is concave beyond it, where N p(r) = 1.
double gamma_threshold(Strategy strategy, const ChronosJob& job);
// Eq. 62, the appendix' print of eq. 28 without the power beta on t_min: depends on the unit of time.
double gamma_restart_as_printed_in_appendix(const ChronosJob& job);

// Theorem 7.3. Clone is better than S-Resume exactly for r above this: ln((1-phi) t_min / Db) / ln(Db / ((1-phi) D)),
// Db = D - tau_est; infinite (Resume is always at least as good) when (1 - phi) D <= Db. Dimensionless.
// Domain: D > t_min, Db > (1 - phi) t_min.
double clone_beats_resume_above(const ChronosJob& job);

// The two prints of that threshold, in the theorem and in its proof. They differ, both depend on the unit of time and
// both decide wrongly.
double theorem_7_3_as_printed(const ChronosJob& job);
double equation_60_as_printed(const ChronosJob& job);

}  // namespace ontime::scheduler::chronos
