#include "tests/pocd/chronos_compare.h"

#include <cmath>

#include "scheduler/math/numeric.h"

namespace ontime::scheduler::pocd {
namespace {

// beta ln((1 - phi) t_min) - ln Db, which mixes a time to the power beta with a time
double printed_numerator(const ChronosJob& job) {
  return job.beta * std::log((1 - job.phi) * job.t_min) - std::log(job.deadline - job.tau_est);
}

}  // namespace

double clone_beats_resume_above(const ChronosJob& job) {
  // With t_min := D: ln((1 - phi) D / Db)
  const double advantage = ln_share_of_time(job.deadline, job.tau_est, job.phi, job.deadline);
  if (!(advantage > 0)) return kInfinity;
  return -ln_share_of_time(job.deadline, job.tau_est, job.phi, job.t_min) / advantage;
}

double theorem_7_3_as_printed(const ChronosJob& job) { return printed_numerator(job) / -std::log1p(-job.phi); }

double equation_60_as_printed(const ChronosJob& job) {
  return printed_numerator(job) / -ln_share_of_time(job.deadline, job.tau_est, job.phi, job.deadline);
}

}  // namespace ontime::scheduler::pocd
