#pragma once
// Chronos, Theorem 7: which strategy has the higher PoCD for the same r. Clone and S-Resume always beat S-Restart
// (7.1, 7.2; strictly for r >= 1 and tau_est > 0); between Clone and S-Resume r decides (7.3).

#include "scheduler/policies/chronos/chronos_formulas.h"

namespace ontime::scheduler::pocd {

// Clone is better than S-Resume exactly for r above this: ln((1-phi) t_min / Db) / ln(Db / ((1-phi) D)),
// Db = D - tau_est; infinite (Resume is always at least as good) when (1 - phi) D <= Db. Dimensionless.
// Domain: D > t_min, Db > (1 - phi) t_min.
double clone_beats_resume_above(const ChronosJob& job);

// The two prints of that threshold, in the theorem and in its proof. They differ, both depend on the unit of time and
// both decide wrongly; to reproduce only.
double theorem_7_3_as_printed(const ChronosJob& job);
double equation_60_as_printed(const ChronosJob& job);

}  // namespace ontime::scheduler::pocd
