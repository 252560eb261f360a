#pragma once
// Chronos, Theorems 1, 3 and 5 (eqs. 3, 14, 17): the probability that a job finishes before its deadline.

#include "scheduler/pocd/chronos_job.h"
#include "scheduler/pocd/form.h"
#include "scheduler/pocd/pocd.h"

namespace ontime::scheduler::pocd {

// ln p: logarithm of the probability that one task misses D with r extra attempts, r >= 0. Corrected clamps every
// factor to a probability; AsPrinted does not, so it can exceed 0 when D - tau_est < t_min (Restart) or
// D - tau_est < (1 - phi) t_min (Resume), where more copies seem to do harm.
double ln_miss(Strategy strategy, const ChronosJob& job, double r, Form form = Form::Corrected);

// PoCD R of the whole job.
Pocd chronos_pocd(Strategy strategy, const ChronosJob& job, double r, Form form = Form::Corrected);

// ln p of S-Resume when every straggler's progress is its own, linear one, phi = tau_est / T, instead of one constant:
// p = (t_min/D)^beta (t_min/Db)^k 2F1(-k, beta; beta + 1; tau_est/D), Db = D - tau_est, k = beta (r + 1).
// Domain: D - tau_est >= t_min and tau_est <= t_min, else NaN. job.phi is not used.
double ln_miss_resume_linear(const ChronosJob& job, double r);

}  // namespace ontime::scheduler::pocd
