#pragma once
// What the joint grants of Shed and Shed+ have in common: what is maximised, how many copies there are to give, and the
// odds of a task as a function of its copies.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ontime::scheduler::math {

// The alpha-fair utility to maximise, over the jobs that can still be saved.
enum class Objective {
  SumPocd,  // alpha = 0: how many jobs are expected to make it
  SumLog,   // alpha = 1: the sum of ln R, proportionally fair
  MaxMin,   // alpha = infinity: the smallest R, then the next
};

// MAX: the most copies one task may get; nothing means no limit.
using CopyLimit = std::optional<std::uint32_t>;
bool may_grow(std::uint32_t copies, CopyLimit limit);

// kappa = lambda m - (running tasks) - |J|: slots left for copies when every task keeps one attempt and every job one
// slot for its ApplicationMaster. lambda in (0, 1]: share of the m machines to use; a product that is a whole number in
// decimal counts as one (0.29 * 100 = 29). May be negative.
std::int64_t copies_available(double lambda, double machines, std::uint64_t tasks, std::uint64_t jobs);

// One task: ln of the probabilities to miss the deadline of the attempt that is kept and of one copy.
struct TaskOdds {
  double ln_kept = 0;  // <= 0; 0: certain to miss
  double ln_copy = 0;  // <= 0

  double ln_pocd(double copies) const;  // ln of 1 - e^(ln_kept + copies ln_copy)
};

// How a grant turned out.
struct GrantValue {
  std::uint64_t copies = 0;  // omega: slots given, never above kappa
  double value = 0;          // of the objective, over the jobs that can be saved; SumPocd and MaxMin as probabilities
  double bound = 0;          // no grant is better than this
  bool exact = false;        // value is the optimum
};

// Choosing, for several claimants, how many steps each climbs when every step costs slots and slots are few: a knapsack
// in which each claimant has a ladder of values. Shed's jobs, Shed+'s jobs and SCA's jobs are such ladders.

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

}  // namespace ontime::scheduler::math
