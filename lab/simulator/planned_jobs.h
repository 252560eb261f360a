#pragma once
// The jobs of a scenario one by one, before anything happens: sizes and arrivals are the same under every policy.

#include <cstdint>
#include <vector>

#include "scheduler/core/job_spec.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

struct PlannedJob {
  std::uint32_t group = 0;  // index into Scenario::jobs
  std::uint32_t tasks = 1;
  double at = 0;        // kForEver: when the one before it in its group has ended
  double scale = 1;     // its splits and durations against its group's
  double deadline = 0;  // seconds after submission; 0: none
};

// Group by group, in each in order of arrival.
std::vector<PlannedJob> plan_jobs(const Scenario& scenario, std::uint64_t seed);

scheduler::JobSpec spec_of(const JobGroup& group, const PlannedJob& planned);

}  // namespace ontime::lab
