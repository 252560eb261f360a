#pragma once
// How many copies each late piece gets: the joint grant of Shed+ over all watched jobs.

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/pocd/shed_plus_allocation.h"
#include "scheduler/policy/stragglers.h"

namespace ontime::scheduler {

struct GrantRule {
  pocd::Objective objective = pocd::Objective::SumLog;
  std::uint32_t max = 5;    // copies per piece
  bool as_printed = false;  // Algorithm 1's listing instead of the optimum
  bool kept_misses = true;  // the attempt that is ahead is certain to be late; otherwise it is drawn anew like a copy
  double gain_min = 0;      // of a piece's second copy and further ones, in ln PoCD: others are not granted
};

struct PieceGrant {
  std::uint32_t copies = 0;
  double pocd_before = 0;  // of the piece
  double pocd_after = 0;
};

// By piece. At most `kappa` copies in all.
//
// Where kept attempts are certain to be late, a job without a copy for each of its late pieces has R = 0, so the
// optimum gives nothing to a job that needs more than there is. What the optimum leaves over goes to such jobs all the
// same, as if their kept attempts were drawn anew: slots that are set free later may complete what was begun.
std::vector<PieceGrant> grant_copies(const View& view, std::span<const WatchedJob> jobs,
                                     std::span<const Straggler> pieces, std::int64_t kappa, const GrantRule& rule);

}  // namespace ontime::scheduler
