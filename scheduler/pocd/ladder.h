#pragma once
// Choosing, for several claimants, how many steps each climbs when every step costs slots and slots are few: a knapsack
// in which each claimant has a ladder of values. Shed's jobs, Shed+'s jobs and SCA's jobs are such ladders.

#include <cstdint>
#include <span>
#include <vector>

namespace ontime::scheduler::pocd {

struct Ladder {
  std::uint64_t step_cost = 1;  // slots per step, >= 1
  std::vector<double> value;    // of standing on step 0, 1, ...; not empty, finite
};

struct Climb {
  std::vector<std::uint32_t> steps;  // per ladder
  double value = 0;                  // sum over the ladders
  double bound = 0;                  // no choice is better; equal to value if `exact`
  bool exact = false;
};

// The dynamic programme is used as long as (sum of ladders' lengths) x (capacity + 1) does not exceed this: about 10
// ms.
inline constexpr std::uint64_t kExactCells = 1U << 22U;

// The best choice within `capacity` slots. Exact up to kExactCells. Above that by marginal gains on the ladders' upper
// hulls: the gap, bound - value, is at most the value of the first stretch of a hull that did not fit.
Climb best_climb(std::span<const Ladder> ladders, std::uint64_t capacity);

// The two methods by themselves.
Climb climb_exactly(std::span<const Ladder> ladders, std::uint64_t capacity);
Climb climb_by_hull(std::span<const Ladder> ladders, std::uint64_t capacity);

}  // namespace ontime::scheduler::pocd
