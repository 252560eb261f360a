#pragma once
// Numerical integration and the ratio of gamma functions, from Boost.Math. The only door to that library: its headers
// are slow to compile.

#include <functional>

namespace ontime::scheduler::pocd {

// Integral of f over [0, length], length finite, by the tanh-sinh rule: good to about 1e-14 relative for functions that
// are smooth inside; ends may be steep, as in u^200, or have an infinite slope. f must be finite inside.
double integrate(const std::function<double(double)>& f, double length);

// Gamma(z) / Gamma(z + delta) for z, z + delta > 0; accurate for z = 1e6 too, where differences of lgamma are not.
double gamma_ratio(double z, double delta);

// Gamma'(z) / Gamma(z) for z > 0.
double digamma(double z);

}  // namespace ontime::scheduler::pocd
