#pragma once
// Hopper's arithmetic: how many slots each job is to get (Ren and others, SIGCOMM 2015).

#include <cstdint>
#include <span>
#include <vector>

namespace ontime::scheduler {

// V = ceil(2 / beta, clipped to [1, 2], times the tasks that are not done): a job of heavy-tailed tasks (beta small)
// can use up to twice its tasks in slots, for copies. 0 for a job without unfinished tasks. (The paper's factor for the
// communication of stages is 1: jobs are map-only.)
std::uint32_t hopper_virtual_size(double beta, std::uint32_t unfinished);

// By job, whole slots:
//   sum V > slots   everybody min(V, (1 - epsilon) slots / jobs), then in ascending order of V up to V each
//   otherwise       slots V / sum V, that is V or more
std::vector<std::uint32_t> hopper_shares(std::span<const std::uint32_t> virtual_sizes, std::uint32_t slots,
                                         double epsilon);

}  // namespace ontime::scheduler
