#pragma once
// What the injection does to one attempt. The same arguments give the same Disturbance on every machine and in whatever
// order attempts are drawn: each value hangs on the seed, what it is for, and
//
//   straggler             job, and which of the job's tasks
//   slow-down, launch, pause, stall, crash          job, task, attempt number
//   slow node             the node's name
//
// so an attempt's own luck goes with it to whatever node it is placed on, and two policies meet the same stragglers.

#include <string_view>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/injection/injection.h"

namespace ontime::injection {

struct DrawnFor {
  AttemptId attempt;
  std::uint32_t job_tasks = 0;  // how many the job has; 0: not known, no stragglers then
  ByteRange split;              // of the whole task, with a known end
  std::string_view node;        // name of the node it runs on
};

Disturbance draw(const Injection& injection, const DrawnFor& drawn_for);

// Whether the task's original is one of the ceil(share * tasks) stragglers of its job.
bool is_straggler(const Injection& injection, TaskId task, std::uint32_t job_tasks);

// By how much this node alone is slower.
double node_factor(const Injection& injection, std::string_view node);

}  // namespace ontime::injection
