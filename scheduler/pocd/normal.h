#pragma once
// The standard normal distribution, accurate in its far tail.

namespace ontime::scheduler::pocd {

// ln P(Z > z); finite far beyond z = 38, where P itself is no longer a double.
double ln_normal_survival(double z);

// Density divided by survival.
double normal_hazard(double z);

// The z with P(Z <= z) = q, 0 < q < 1; -inf at 0 and inf at 1.
double normal_quantile(double q);

}  // namespace ontime::scheduler::pocd
