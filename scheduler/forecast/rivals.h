#pragma once
// What other jobs have to do with a job's turn: when their attempts leave their slots, and what of theirs gets slots
// before or after it.

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/forecast/remainder.h"

namespace ontime::scheduler {

// `usual`: how long an attempt takes, in seconds, of a job of which nothing is known.
void add_rivals(const Scheduler& scheduler, JobId job, TimePoint now, double usual, Remainder& to);

}  // namespace ontime::scheduler
