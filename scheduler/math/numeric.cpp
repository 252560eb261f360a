#include "scheduler/math/numeric.h"

#include <boost/math/policies/policy.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

namespace ontime::scheduler::math {
// Neumaier's sum.
double accurate_sum(std::initializer_list<double> terms) {
  double sum = 0;
  double lost = 0;
  for (const double term : terms) {
    const double next = sum + term;
    lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  return sum + lost;
}

double ln_ratio(double a, double b) {
  const double ratio = a / b;
  // Between 1/2 and 2 the difference a - b is exact.
  return ratio > 0.5 && ratio < 2 ? std::log1p((a - b) / b) : std::log(ratio);
}

double ln_one_minus_exp(double x) {
  return x > -std::numbers::ln2 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

double times(double n, double x) { return n == 0 ? 0 : n * x; }

double exp_slope(double y) { return y == 0 ? 1 : std::expm1(y) / y; }

double excess_over_one(double a, double n) { return std::fma(a, n, -1); }

double power_integral(double t_min, double a, double x) {
  if (std::isinf(x)) return a > 1 ? t_min / (a - 1) : kInfinity;
  const double length = ln_ratio(x, t_min);
  return t_min * length * exp_slope((1 - a) * length);
}

double slack(double deadline, double tau, double phi, double t_min) {
  const double done = phi * t_min;
  return accurate_sum({deadline, -tau, -t_min, done, std::fma(phi, t_min, -done)});
}

double ln_share_of_time(double deadline, double tau, double phi, double t_min) {
  const double left = deadline - tau;
  if (!(left > 0)) return kInfinity;
  const double ratio = (1 - phi) * t_min / left;
  if (ratio > 0.5 && ratio < 2) return std::log1p(-slack(deadline, tau, phi, t_min) / left);
  return std::log(ratio);
}

namespace {

namespace policies = boost::math::policies;
// No exceptions: a value outside a function's domain gives NaN or infinity, as in <cmath>.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;

}  // namespace

double integrate(const std::function<double(double)>& f, double length) {
  if (!(length > 0)) return 0;
  // Its tables grow when first needed, under a lock of its own.
  static boost::math::quadrature::tanh_sinh<double, Quiet> rule(/*max_refinements=*/12);
  // Over [0, 1], because the rule rounds its outermost points onto the ends of intervals that are narrow for their
  // place.
  return length * rule.integrate([&](double u) { return f(length * u); }, 0.0, 1.0, 1e-15);
}

double inverse_erfc(double y) { return boost::math::erfc_inv(y, Quiet()); }

double gamma_ratio(double z, double delta) { return boost::math::tgamma_delta_ratio(z, delta, Quiet()); }

double ln_pocd(double ln_p, double tasks) { return times(tasks, ln_one_minus_exp(ln_p)); }

Pocd pocd_of_equal_tasks(double ln_p, double tasks) {
  const double ln_value = ln_pocd(ln_p, tasks);
  return {ln_p, ln_value, std::exp(ln_value), -std::expm1(ln_value)};
}

double ln_excess(const Pocd& pocd, double r_min) {
  if (r_min == 0) return pocd.ln_value;
  if (!(pocd.value > r_min)) return -kInfinity;
  const double lacking = pocd.miss + r_min;
  return lacking < 0.5 ? std::log1p(-lacking) : std::log(pocd.value - r_min);
}

}  // namespace ontime::scheduler::math
