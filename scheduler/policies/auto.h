#pragma once
// Chooses a policy for each job when it is submitted, by its deadline, the cluster's load and what is known of its
// execution times, and lets that policy plan for it. The first of these that holds:
//
//   no deadline                                         mantri, delta 0.5
//   no input file's end is known (compressed), so that no pace can be seen:
//     free slots for a clone of every task, and the load with them below `load`   clone
//     otherwise                                         none
//   t_min is not known, or a guess                      split-resume
//   (D - first look - launch) / t_min < `slack`         split-resume
//   otherwise                                           shed+
//
// Without a deadline the mean job time counts, at no more than 3 % more machine time: of all policies mantri does best,
// and with delta 0.5 it does not copy where attempts hardly differ (docs/policies.md has the table).
//
// Below a slack of 1 a copy cannot be in time, a piece can; up to 3 or so pieces make it more often than copies when
// speeds change on the way; above that both do and copies of few stragglers cost less machine time.
//
// First look: xi D + theta of shed+, the latest that it sees a straggler for the first time. Load: slots in use and
// waited for, per slot. What was chosen, and why, is a note of the job; a new master keeps to it.
//
// The inner policies plan one after another in the order of their names, each with what the others have left.

#include <memory>
#include <string>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// What it has chosen for the job; empty: nothing yet.
std::string policy_chosen_for(const Job& job);

std::unique_ptr<Policy> make_auto(Parameters& parameters);

}  // namespace ontime::scheduler
