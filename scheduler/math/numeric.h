#pragma once
// Elementary functions in the forms that keep their relative accuracy where the textbook forms cancel: probabilities
// near 0 and near 1 (down to 1e-300), deadlines only just above the shortest possible time, exponents near 1.

#include <functional>
#include <initializer_list>
#include <limits>

namespace ontime::scheduler::math {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// As if added in twice the precision.
double accurate_sum(std::initializer_list<double> terms);

// ln(a / b) for a >= 0, b > 0; accurate when a is close to b. ln_ratio(0, b) = -inf.
double ln_ratio(double a, double b);

// ln(1 - e^x) for x <= 0: the logarithm of a probability's complement. 0 gives -inf, -inf gives 0.
double ln_one_minus_exp(double x);

// n * x, but 0 for n = 0 even when x is infinite: the logarithm of a product of no factors.
double times(double n, double x);

// (e^y - 1) / y, continued by 1 at y = 0.
double exp_slope(double y);

// a n - 1 with one rounding: how far beyond the pole of its mean the fastest of n attempts with shape a is.
double excess_over_one(double a, double n);

// Integral of (t_min / t)^a over t from t_min to x; dimension of time. x < t_min gives the (negative) continuation,
// x = inf the limit, which is infinite for a <= 1.
double power_integral(double t_min, double a, double x);

// (D - tau) - (1 - phi) t_min with hardly any rounding: the time to spare if the rest of a task, of which the fraction
// phi is done, is worked off at the highest speed from the instant tau on.
double slack(double deadline, double tau, double phi, double t_min);

// ln((1 - phi) t_min / (D - tau)), not clamped: +inf when no time is left (D <= tau), -inf when no work is (phi = 1).
double ln_share_of_time(double deadline, double tau, double phi, double t_min);

// Numerical integration and the ratio of gamma functions, from Boost.Math. The only door to that library: its headers
// are slow to compile.

// Integral of f over [0, length], length finite, by the tanh-sinh rule: good to about 1e-14 relative for functions that
// are smooth inside; ends may be steep, as in u^200, or have an infinite slope. f must be finite inside.
double integrate(const std::function<double(double)>& f, double length);

// The x with erfc(x) = y, 0 < y < 2.
double inverse_erfc(double y);

// Gamma(z) / Gamma(z + delta) for z, z + delta > 0; accurate for z = 1e6 too, where differences of lgamma are not.
double gamma_ratio(double z, double delta);

// PoCD: the probability of completion before the deadline. A job of N independent tasks makes it when no task misses.

// All dimensionless. Logarithms are kept beside the values because R is 1.0 in double long before the miss is 0.
struct Pocd {
  double ln_p_task = 0;  // ln p, p: probability that one task misses the deadline
  double ln_value = 0;   // ln R
  double value = 1;      // R = (1 - p)^N
  double miss = 0;       // 1 - R
};

// ln R of `tasks` equal tasks, each missing with ln_p <= 0.
double ln_pocd(double ln_p, double tasks);

// The same with all its readings.
Pocd pocd_of_equal_tasks(double ln_p, double tasks);

// ln(R - r_min): -inf when R <= r_min, the utility's argument in Chronos eq. 26. Accurate when R is close to 1.
double ln_excess(const Pocd& pocd, double r_min);

}  // namespace ontime::scheduler::math
