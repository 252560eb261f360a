#pragma once
// Alpha-fair utility of a probability (Shed section III, Shed+ eq. 10): what a set of PoCDs is worth.

namespace ontime::scheduler::math {

// U(p) = ln p for alpha = 1, else p^(1 - alpha) / (1 - alpha); p in [0, 1], alpha >= 0. alpha = 0 adds probabilities,
// alpha = 1 is proportionally fair, alpha -> infinity is max-min, for which U itself has no limit.
double alpha_fair_utility(double p, double alpha);

// The same from ln p, for p too close to 0 or 1 to be told apart in double.
double alpha_fair_utility_ln(double ln_p, double alpha);

}  // namespace ontime::scheduler::math
