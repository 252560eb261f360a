#pragma once
// Rows of results for tests.

#include <string>

#include "lab/experiment/rows.h"

namespace ontime::lab::experiment {

// Submitted when its run began.
inline JobRow succeeded_job(const std::string& policy, std::uint32_t number, double time, double deadline) {
  JobRow row;
  row.policy = policy;
  row.repetition = 1;
  row.job = number;
  row.kind = "counted";
  row.state = "succeeded";
  row.time = row.ended = time;
  row.deadline = deadline;
  row.met = time <= deadline;
  return row;
}

}  // namespace ontime::lab::experiment
