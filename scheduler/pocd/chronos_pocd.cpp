#include "scheduler/pocd/chronos_pocd.h"

#include <algorithm>
#include <cmath>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/quadrature.h"

namespace ontime::scheduler::pocd {
namespace {

// ln of the factor by which one attempt's time bound goes into p: a probability unless taken as printed.
double factor(double ln, Form form) { return form == Form::Corrected ? std::min(ln, 0.0) : ln; }

// ln((1 - phi) t_min / Db), Db = D - tau_est
double ln_late_start(const ChronosJob& job, double phi) {
  return ln_share_of_time(job.deadline, job.tau_est, phi, job.t_min);
}

}  // namespace

double straggler_progress(const ChronosJob& job) { return job.tau_est * job.beta / ((job.beta + 1) * job.deadline); }

double ln_miss(Strategy strategy, const ChronosJob& job, double r, Form form) {
  const double original = job.beta * factor(ln_ratio(job.t_min, job.deadline), form);  // P(T > D) = (t_min / D)^beta
  switch (strategy) {
    case Strategy::Clone:
      return (r + 1) * original;
    case Strategy::Restart:
      return original + times(job.beta * r, factor(ln_late_start(job, 0), form));
    case Strategy::Resume:
      return original + times(job.beta * (r + 1), factor(ln_late_start(job, job.phi), form));
  }
  return kNotANumber;
}

Pocd chronos_pocd(Strategy strategy, const ChronosJob& job, double r, Form form) {
  return pocd_of_equal_tasks(ln_miss(strategy, job, r, form), job.tasks);
}

double ln_miss_resume_linear(const ChronosJob& job, double r) {
  if (slack(job.deadline, job.tau_est, 0, job.t_min) < 0 || job.tau_est > job.t_min) return kNotANumber;
  const double k = job.beta * (r + 1);
  const double z = job.tau_est / job.deadline;
  // 2F1(-k, b; b + 1; z) = integral over v in [0, 1] of (1 - z v^(1/b))^k, and what it lacks to 1
  const auto ln_rest = [&](double v) { return k * std::log1p(-z * std::pow(v, 1 / job.beta)); };
  const double lacking = integrate([&](double v) { return -std::expm1(ln_rest(v)); }, 1);
  const double ln_mean =
      lacking < 0.5 ? std::log1p(-lacking) : std::log(integrate([&](double v) { return std::exp(ln_rest(v)); }, 1));
  return job.beta * ln_ratio(job.t_min, job.deadline) + k * ln_late_start(job, 0) + ln_mean;
}

}  // namespace ontime::scheduler::pocd
