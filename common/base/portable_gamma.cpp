#include "common/base/portable_gamma.h"

#include <algorithm>
#include <cmath>

#include "common/base/portable_math.h"

namespace ontime {
namespace {

constexpr double kHalfLnTwoPi = 0.9189385332046728;
constexpr double kExact = 1e-16;
constexpr int kTermsMost = 10'000;  // some tens are enough
constexpr double kClose = 1e-14;
constexpr int kStepsMost = 200;

// x^k e^-x / gamma(k)
double factor(double k, double x) { return exponential(k * natural_log(x) - x - ln_gamma(k)); }

// P(X <= x) by its series (DLMF 8.11.4): good for x < k + 1.
double below(double k, double x) {
  double term = 1 / k;
  double sum = term;
  for (int n = 1; n < kTermsMost && term > kExact * sum; ++n) sum += term *= x / (k + n);
  return factor(k, x) * sum;
}

// P(X > x) by its continued fraction (DLMF 8.9.2), from the front on (Lentz): good for x >= k + 1.
double above(double k, double x) {
  double b = x + 1 - k;
  double c = 1e300;
  double d = 1 / b;
  double product = d;
  for (int n = 1; n < kTermsMost; ++n) {
    const double a = n * (k - n);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    product *= c * d;
    if (std::abs(c * d - 1) < kExact * 10) break;
  }
  return factor(k, x) * product;
}

// ln x where the search begins: by the cube root that is nearly normal (Wilson and Hilferty), or by the first term of
// the series where that is too small to be told.
double first_guess(double k, double s) {
  const double root = 1 - 1 / (9 * k) + normal_score(s) / (3 * std::sqrt(k));
  if (k >= 0.5 && root > 0.2) return natural_log(k) + 3 * natural_log(root);
  return (natural_log(1 - s) + ln_gamma(k + 1)) / k;
}

}  // namespace

double ln_gamma(double x) {
  double product = 1;
  for (; x < 15; x += 1) product *= x;
  const double square = 1 / (x * x);
  const double series = (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) / x;
  return (x - 0.5) * natural_log(x) - x + kHalfLnTwoPi + series - natural_log(product);
}

double gamma_survival(double shape, double x) { return x < shape + 1 ? 1 - below(shape, x) : above(shape, x); }

// Newton's steps for ln x, with halves of what is known where one would leave it. The rarer side is compared.
double gamma_at(double shape, double s) {
  double low = -700;
  double high = natural_log(10 * (shape + 100));
  double at = std::clamp(first_guess(shape, s), low, high);
  for (int step = 0; step < kStepsMost; ++step) {
    const double x = exponential(at);
    const bool is_low = x < shape + 1;
    const double excess = is_low ? below(shape, x) - (1 - s) : s - above(shape, x);
    const double change = excess / factor(shape, x);
    if (std::abs(change) <= kClose * std::max(1.0, std::abs(at))) break;
    (excess > 0 ? high : low) = at;
    at = at - change > low && at - change < high ? at - change : (low + high) / 2;
  }
  return exponential(at);
}

}  // namespace ontime
