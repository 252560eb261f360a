#pragma once
// Dolly: clone every task so often that the chance of any straggler stays below epsilon. As used by Shed (section VI)
// and Shed+ (section VI) for comparison.

#include <cstdint>

#include "scheduler/pocd/form.h"

namespace ontime::scheduler::pocd {

// c with 1 - (1 - p^c)^N = epsilon: total attempts per task, a real number. p in (0, 1): probability that one attempt
// straggles; N >= 1 tasks; epsilon in (0, 1). Shed prints the root 1/p where 1/N is meant: AsPrinted, which
// ignores N.
double dolly_copies(double p, double tasks, double epsilon, Form form = Form::Corrected);

// The same, rounded up to a number of attempts >= 1.
std::uint32_t dolly_clones(double p, double tasks, double epsilon);

// p of one task from the probability that a job of N such tasks misses: 1 - (1 - P)^(1/N). Both papers put the job's
// probability where the task's belongs.
double task_probability(double job_probability, double tasks);

}  // namespace ontime::scheduler::pocd
