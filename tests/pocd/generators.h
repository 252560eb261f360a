#pragma once
// Random inputs for the properties of the formulas: real numbers and jobs inside the domains of the theorems.

#include <rapidcheck.h>

#include <algorithm>

#include "scheduler/policies/chronos/chronos.h"
#include "tests/pocd/shed_paper.h"

namespace ontime::scheduler::test {

// A number in [low, high] out of a million equally spaced ones; both ends occur.
inline double any_real(double low, double high) {
  return low + (high - low) * *rc::gen::inRange(0, 1'000'001) / 1'000'000;
}

inline chronos::Strategy any_strategy() {
  return *rc::gen::element(chronos::Strategy::Clone, chronos::Strategy::Restart, chronos::Strategy::Resume);
}

// Any job, possible or not: deadlines below t_min, no time left after tau_est, all work done.
inline chronos::ChronosJob any_chronos_job() {
  chronos::ChronosJob job;
  job.tasks = *rc::gen::inRange(1, 2000);
  job.t_min = any_real(0.1, 300);
  job.beta = any_real(0.2, 4);
  job.deadline = job.t_min * any_real(0.5, 8);
  job.tau_est = job.deadline * any_real(0, 0.99);
  job.tau_kill = job.tau_est + job.t_min * any_real(0, 2);
  job.phi = any_real(0, 1);
  return job;
}

inline shed::ShedJob any_shed_job(int most_tasks) {
  const double t_min = any_real(10, 100);
  const bool running = *rc::gen::arbitrary<bool>();
  const double deadline = t_min * any_real(0.9, 6);
  return {static_cast<double>(*rc::gen::inRange(1, most_tasks + 1)),
          t_min,
          any_real(1, 3),
          deadline,
          running ? deadline * any_real(0, 1.05) : 0,
          running ? any_real(0, 1) : 0};
}

inline shed::RunningJob any_running_job(int most_tasks) {
  const double t_min = any_real(10, 100);
  shed::RunningJob job{t_min * any_real(1.2, 5), t_min, 0, {}};
  job.tau = job.deadline * any_real(0, 0.9);
  const int tasks = *rc::gen::inRange(1, most_tasks + 1);
  for (int i = 0; i < tasks; ++i) {
    // The shortest time the rest can take, as a share of the time left: one task in ten cannot make it.
    const double share = *rc::gen::inRange(0, 10) == 0 ? any_real(1, 2) : any_real(0, 1);
    const double phi = std::clamp(1 - share * (job.deadline - job.tau) / t_min, 0.0, 1.0);
    job.tasks.push_back({phi, any_real(1, 3), *rc::gen::inRange(0, 3) > 0});
  }
  return job;
}

}  // namespace ontime::scheduler::test
