#include "tests/pocd/tail_pocd.h"

#include "scheduler/math/numeric.h"

namespace ontime::scheduler::math {

double ln_miss_clone(const Pareto& tail, double deadline, double r) { return (r + 1) * tail.ln_survival(deadline); }

double ln_miss_restart(const Pareto& tail, double deadline, double tau, double r) {
  return tail.ln_survival(deadline) + times(r, ln_miss_rest(tail, deadline - tau, 0));
}

double ln_miss_resume(const Pareto& tail, double deadline, double tau, double phi, double r) {
  return tail.ln_survival(deadline) + times(r + 1, ln_miss_rest(tail, deadline - tau, phi));
}

double ln_miss_rest(const Pareto& tail, double left, double phi) {
  if (!(left > 0)) return 0;
  return phi < 1 ? tail.ln_survival(left / (1 - phi)) : -kInfinity;
}

}  // namespace ontime::scheduler::math
