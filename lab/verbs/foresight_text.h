#pragma once
// What would have come of a recorded job under other policies, as text and as JSON.

#include <string>
#include <vector>

#include "common/base/ids.h"
#include "lab/foresight/prospect.h"
#include "lab/foresight/recorded_job.h"

namespace ontime::lab {

struct ForeseenRow {
  std::string policy;  // as it was asked for
  Prospect prospect;
};

struct Foreseen {
  JobId job;
  std::string application;
  std::string policy;  // it ran with
  RecordedJob recorded;
  Prospect again;  // the same policy, simulated
  std::vector<ForeseenRow> rows;
  bool is_identical = true;  // the replay
  double wall_seconds = 0;
};

std::string foreseen_text(const Foreseen& foreseen);
std::string foreseen_json(const Foreseen& foreseen);

}  // namespace ontime::lab
