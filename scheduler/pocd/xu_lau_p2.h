#pragma once
// Xu & Lau, section IV-A: problem P2 of the Smart Cloning Algorithm (SCA), solved directly. The paper relaxes c to real
// numbers, leaves the rounding open and iterates with step sizes that do not converge on its own example.

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/pocd/xu_lau_clone.h"

namespace ontime::scheduler::pocd {

struct CloneBudget {
  std::uint64_t machines = 0;    // N: capacity, at least one per task
  double gamma = 0;              // price of machine time against flow time, >= 0
  std::uint32_t copies_max = 1;  // r >= 1
};

// U - cost of one job, the part that c decides: -E[d] - gamma m c E[t].
double cloning_value(const ClonedJob& job, double copies, double gamma);

struct CloningPlan {
  std::vector<std::uint32_t> copies;  // c per job, 1 <= c <= r
  double value = 0;                   // sum of cloning_value
  double bound = 0;                   // no plan is better than this; equal to value where the method was exact
  std::uint64_t machines = 0;         // sum of m c <= N
};

// The best integer plan; exact for as many jobs and machines as a dynamic programme can take (see ladder.h), above that
// within bound - value. All ones if the tasks alone fill the machines; P2 then has no solution.
CloningPlan plan_cloning(std::span<const ClonedJob> jobs, const CloneBudget& budget);

struct RelaxedCloningPlan {
  std::vector<double> copies;  // c per job, real
  double value = 0;
  double nu = 0;  // multiplier of the capacity: what one more machine would be worth
};

// The optimum over real c, from the Karush-Kuhn-Tucker conditions. Domain: sum of m < N.
RelaxedCloningPlan relax_cloning(std::span<const ClonedJob> jobs, const CloneBudget& budget);

}  // namespace ontime::scheduler::pocd
