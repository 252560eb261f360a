#pragma once
// What a job costs at least, whatever policy runs it: docs/research/bound.md has the proof.

#include <functional>
#include <limits>
#include <vector>

#include "common/base/distribution.h"

namespace ontime::lab {

// How long it takes until an attempt maps. Before `least` no launch is over, and of those that have lasted longer never
// more than `hazard` a second are. So a policy that gives up long launches gains nothing.
struct LaunchLaw {
  double least = 0;
  double hazard = std::numeric_limits<double>::infinity();
};
LaunchLaw launch_law_of(const Distribution& launch);

// The attempts of one job.
struct AttemptLaw {
  // How long the next one takes for a split on a slot of slowness 1; each draws anew.
  std::function<double()> time{};
  double least = 0;             // that it takes at least
  std::vector<double> known{};  // some are known beforehand, on whatever slot
  LaunchLaw launch{};           // of an attempt; with kept processes of a process
  double each = 0;              // with kept processes: what every attempt launches for all the same
  bool keeps_processes = false;
};

// What is to be done. Work is in splits.
struct WorkOfJob {
  double work = 0;
  double longest = 1;                                         // what one attempt can do at most: a task
  double record = 0;                                          // what is done whole or not at all; 0: any share may be
  double deadline = std::numeric_limits<double>::infinity();  // seconds
};

// Of slots that are 1 to so many times as slow as those of slowness `least`.
struct Slownesses {
  double least = 1;
  double greatest = 1;
};

// Slot-seconds of slots of slowness 1. Infinite: it cannot be in time. `enough`: what costs more need not be known.
// Draws of `uniform`, from 0 to 1, are launch times.
double least_cost(const WorkOfJob& job, const AttemptLaw& attempts, const Slownesses& slots, double enough,
                  const std::function<double()>& uniform);

}  // namespace ontime::lab
