#pragma once
// The race of Chronos' S-Restart after tau_est: W = min(T_1 - tau_est, T_2, ..., T_r+1) given T_1 > D (its eq. 42).

#include "scheduler/pocd/chronos_job.h"

namespace ontime::scheduler::pocd {

// P(W > w) = P(T_1 > w + tau_est | T_1 > D) P(T > w)^r has three pieces: up to the earlier of t_min and D - tau_est
// nobody can have finished, up to the later only one side can, from there on everybody. Times in the job's unit.
class RestartRace {
 public:
  // job must outlive the race. Domain: D > tau_est.
  RestartRace(const ChronosJob& job, double r);

  double mean() const;                 // E[W]
  double mean_capped(double x) const;  // E[min(W, x)]

  // E[W] - t_min as eq. 45 has it, which takes D - tau_est >= t_min for granted; otherwise a negative number comes out.
  double mean_beyond_t_min_as_printed() const;

  // Integral over w from `from` > 0 to infinity of (D / (w + tau_est))^beta (t_min / w)^(beta r), by quadrature.
  // Infinite for beta (r + 1) <= 1.
  double tail_above(double from) const;

 private:
  double one_sided(double x) const;  // integral of P(W > w) over the second piece up to x
  double two_sided(double w) const;  // the third piece's P(W > w)

  const ChronosJob& job_;
  double r_;
  double earlier_;  // min(t_min, D - tau_est)
  double later_;    // max(t_min, D - tau_est)
};

}  // namespace ontime::scheduler::pocd
