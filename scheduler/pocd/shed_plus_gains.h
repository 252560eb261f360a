#pragma once
// Shed+ for alpha = 1: the copies that maximise the sum of ln R over all jobs.

#include <cstdint>
#include <span>

#include "scheduler/pocd/shed_plus_allocation.h"

namespace ontime::scheduler::pocd {

// See allocate_shed_plus. Every copy goes where it raises the sum most; since a task's gains only shrink, that is the
// optimum. n stragglers, kappa copies: O((n + kappa) log n).
ShedPlusGrant maximise_sum_of_ln(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit);

}  // namespace ontime::scheduler::pocd
