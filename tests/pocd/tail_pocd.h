#pragma once
// The theorems' PoCD for any distribution of execution times, because real clusters are often not Pareto. For a Pareto
// tail these are Chronos eqs. 3, 14, 17 and Shed's Theorems 1 and 2.

#include "scheduler/math/tail.h"

namespace ontime::scheduler::pocd {

// ln P(a task misses D) with r extra attempts, as in Chronos; times from the job's start, D > tau, phi in [0, 1].
double ln_miss_clone(const Tail& tail, double deadline, double r);
double ln_miss_restart(const Tail& tail, double deadline, double tau, double r);
double ln_miss_resume(const Tail& tail, double deadline, double tau, double phi, double r);

// ln P(one fresh attempt does not work off the fraction 1 - phi of a task in `left` time units).
double ln_miss_rest(const Tail& tail, double left, double phi);

}  // namespace ontime::scheduler::pocd
