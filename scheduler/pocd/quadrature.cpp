#include "scheduler/pocd/quadrature.h"

#include <boost/math/policies/policy.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace ontime::scheduler::pocd {
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

double gamma_ratio(double z, double delta) { return boost::math::tgamma_delta_ratio(z, delta, Quiet()); }

double digamma(double z) { return boost::math::digamma(z, Quiet()); }

}  // namespace ontime::scheduler::pocd
