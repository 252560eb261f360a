#pragma once
// What the joint grants of Shed and Shed+ have in common: what is maximised, how many copies there are to give, and the
// odds of a task as a function of its copies.

#include <cstdint>
#include <optional>

namespace ontime::scheduler::pocd {

// The alpha-fair utility to maximise, over the jobs that can still be saved.
enum class Objective {
  SumPocd,  // alpha = 0: how many jobs are expected to make it
  SumLog,   // alpha = 1: the sum of ln R, proportionally fair
  MaxMin,   // alpha = infinity: the smallest R, then the next
};

// What the listings do with jobs that no allocation can save: as printed they are fed first, since their R stays 0.
enum class HopelessJobs { Feed, Skip };

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

}  // namespace ontime::scheduler::pocd
