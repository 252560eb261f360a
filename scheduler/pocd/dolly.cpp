#include "scheduler/pocd/dolly.h"

#include <algorithm>
#include <cmath>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {

double dolly_copies(double p, double tasks, double epsilon, Form form) {
  const double root = form == Form::Corrected ? tasks : p;
  return ln_one_minus_exp(std::log1p(-epsilon) / root) / std::log(p);
}

std::uint32_t dolly_clones(double p, double tasks, double epsilon) {
  constexpr double kMost = 1e9;  // what p close to 1 asks for is beyond any cluster
  return static_cast<std::uint32_t>(std::clamp(std::ceil(dolly_copies(p, tasks, epsilon)), 1.0, kMost));
}

double task_probability(double job_probability, double tasks) {
  return -std::expm1(std::log1p(-job_probability) / tasks);
}

}  // namespace ontime::scheduler::pocd
