#pragma once
// Chronos, Theorems 2, 4 and 6 (eqs. 11, 15-16, 18-22): expected machine time, the sum over all attempts of the time
// they hold a slot.

#include "scheduler/pocd/chronos_job.h"

namespace ontime::scheduler::pocd {

enum class CostModel {
  // Letter of the paper, but with the factor N that eqs. 15 and 18 lack. Eq. 22 adds t_min where (1 - phi) t_min is
  // meant, and for beta (r + 1) < 1, where the expectation is infinite, finite and even negative values come out.
  AsPrinted,
  // Eq. 22 put right; every loser is still charged until tau_kill, as in the paper.
  Corrected,
  // Losers stop when the task is done. Equal to Corrected as long as no attempt can finish before tau_kill, that is
  // tau_kill <= t_min (Clone), tau_kill - tau_est <= min(t_min, D - tau_est) (Restart), <= (1 - phi) t_min (Resume).
  Exact,
};

// E(T) of the job: N times the task's. Unit of time; infinite for beta (r + 1) <= 1.
double machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model = CostModel::Exact);

// E(T_j) of one task: eq. 11 without N, eqs. 15 and 18.
double task_machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model = CostModel::Exact);

// E(T_j | T_j,1 > D), the cost of a straggling task: eqs. 16 and 21-22. Restart and Resume only.
double straggler_machine_time(Strategy strategy, const ChronosJob& job, double r, CostModel model = CostModel::Exact);

// The integral in eq. 16: time that the racers of S-Restart, original and r fresh ones, are expected to run on after D.
// Integral over w from D - tau_est to infinity of (D / (w + tau_est))^beta (t_min / w)^(beta r).
double restart_tail_integral(const ChronosJob& job, double r);

}  // namespace ontime::scheduler::pocd
