#pragma once
// The theorems' PoCD by the survival of execution times alone, which would serve for any distribution of them: Chronos
// eqs. 3, 14, 17 and Shed's Theorems 1 and 2.

#include "scheduler/math/distributions.h"

namespace ontime::scheduler::math {

// ln P(a task misses D) with r extra attempts, as in Chronos; times from the job's start, D > tau, phi in [0, 1].
double ln_miss_clone(const Pareto& tail, double deadline, double r);
double ln_miss_restart(const Pareto& tail, double deadline, double tau, double r);
double ln_miss_resume(const Pareto& tail, double deadline, double tau, double phi, double r);

// ln P(one fresh attempt does not work off the fraction 1 - phi of a task in `left` time units).
double ln_miss_rest(const Pareto& tail, double left, double phi);

}  // namespace ontime::scheduler::math
