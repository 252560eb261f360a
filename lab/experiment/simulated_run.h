#pragma once
// One run on the simulator: the same jobs, the same disturbances of the same attempts, in virtual time. Pure.

#include "common/base/result.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/rows.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

// Failed if an invariant of the scheduler does not hold; BadInput for what the simulator cannot do.
Result<Results> simulate(const Scenario& scenario, const Run& run, const Baselines& baselines);

}  // namespace ontime::lab::experiment
