#pragma once
// What Xu & Lau derive and nothing ships: delays of a queue, the relaxed problem P2, what ESE costs. Kept to check them
// against the golden files, and what is shipped against them.

#include <span>
#include <vector>

#include "scheduler/policies/xu_lau/xu_lau.h"

namespace ontime::scheduler::xu_lau {

// W_t / E[s], eq. 1: mean delay of a task without speculation. At load 0 nobody waits, and it is 1. Above
// that it is infinite if omega >= 1, or if alpha <= 2, since the second moment of the durations is infinite then.
double delay_without_copies(double alpha, double omega);

// W_t^c / E[s], eq. 3: the same with two copies of every task. Infinite from omega_sat on.
double delay_with_clones(double alpha, double omega);

struct RelaxedCloningPlan {
  std::vector<double> copies;  // c per job, real
  double value = 0;
  double nu = 0;  // multiplier of the capacity: what one more machine would be worth
};

// The optimum over real c, from the Karush-Kuhn-Tucker conditions. Domain: sum of m < N.
RelaxedCloningPlan relax_cloning(std::span<const ClonedJob> jobs, const CloneBudget& budget);

// The sigma at which Mantri's rule P(t_rem > 2 t_new) > delta fires if t_rem is known: 2 (1 - delta)^(-1/alpha) mu /
// E[x].
double mantri_detection_limit(double alpha, double delta);

// E[R] / mu, eq. 30 with gamma = 1, in closed form: machine time of one task under ESE. sigma >= 0.
double enhanced_machine_time(double alpha, double sigma);

}  // namespace ontime::scheduler::xu_lau
