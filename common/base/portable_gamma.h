#pragma once
// The gamma function and the gamma distribution, with the same bits on every machine (as common/base/portable_math.h).
// Accurate to about 1e-13, relatively.

namespace ontime {

double ln_gamma(double x);  // ln of the gamma function, x > 0

// Of the gamma distribution with scale 1 and this shape, 0.01 to 1000 (NIST DLMF 8.2 to 8.11):
double gamma_survival(double shape, double x);  // P(X > x), x > 0
double gamma_at(double shape, double s);        // the x with P(X > x) = s, 0 < s < 1

}  // namespace ontime
