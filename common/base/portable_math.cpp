#include "common/base/portable_math.h"

#include <cmath>
#include <limits>

namespace ontime {
namespace {

// ln 2 in two parts, of which the first has so few bits that its small multiples are exact.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kDensityAtZero = 0.39894228040143267794;  // 1 / sqrt(2 pi)

}  // namespace

// x = m * 2^e with m around 1; ln m = 2 artanh((m - 1) / (m + 1)) by its series.
double natural_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double sum = 0;
  for (int odd = 23; odd >= 3; odd -= 2) sum = (sum + 1.0 / odd) * square;
  return exponent * kLn2High + (2 * s + (2 * s * sum + exponent * kLn2Low));
}

// x = k ln 2 + r with |r| <= ln 2 / 2; e^r by its series.
double exponential(double x) {
  if (x < -700) return 0;
  if (x > 709) return std::numeric_limits<double>::infinity();
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int term = 14; term >= 1; --term) sum = 1 + sum * r / term;
  return std::ldexp(sum, static_cast<int>(k));
}

// Near the middle the series of the integral of the density, further out Laplace's continued fraction.
double normal_survival(double z) {
  if (z < 0) return 1 - normal_survival(-z);
  const double density = kDensityAtZero * exponential(-0.5 * z * z);
  if (z < 3) {
    double term = z;
    double sum = z;
    for (int odd = 3; odd < 120 && term > 1e-18; odd += 2) {
      term *= z * z / odd;
      sum += term;
    }
    return 0.5 - density * sum;
  }
  double fraction = z;
  for (int level = 100; level > 0; --level) fraction = z + level / fraction;
  return density / fraction;
}

// A quotient of polynomials in sqrt(-2 ln s) that is off by less than 1e-3, then Newton's method.
double normal_score(double s) {
  if (s > 0.5) return -normal_score(1 - s);
  const double t = std::sqrt(-2 * natural_log(s));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int round = 0; round < 2; ++round) {
    const double density = kDensityAtZero * exponential(-0.5 * z * z);
    const double step = (normal_survival(z) - s) / density;
    z += step / (1 + 0.5 * z * step);
  }
  return z;
}

}  // namespace ontime
