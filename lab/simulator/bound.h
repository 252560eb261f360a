#pragma once
// What no policy can exceed: docs/research/bound.md has the proof, and what it takes for granted.

#include <cstdint>

#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {

// Each job costs at least what the luck of its attempts lets it (least_cost.h), and all slots together have so much
// time (in_time.h). JobOutcome::counted says how many jobs can be in time at most, over all groups; the times of jobs
// are such that their mean cannot be shorter, and machine_time is what each takes at least. With
// Yardstick::ClairvoyantBound no attempt is ever launched that has no luck.
// REQUIRES: drawn for this seed (lab/scenario/scenario.h), check(drawn), a yardstick of the two.
Outcome run_bound(const Scenario& drawn, std::uint64_t seed);

}  // namespace ontime::lab
