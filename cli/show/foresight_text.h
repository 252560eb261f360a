#pragma once
// What would have come of a recorded job under other policies, as text and as JSON.

#include <string>
#include <vector>

#include "common/base/ids.h"
#include "simulator/foresight/prospect.h"
#include "simulator/foresight/recorded_job.h"

namespace ontime::cli {

struct ForeseenRow {
  std::string policy;  // as it was asked for
  simulator::Prospect prospect;
};

struct Foreseen {
  JobId job;
  std::string application;
  std::string policy;  // it ran with
  simulator::RecordedJob recorded;
  simulator::Prospect again;  // the same policy, simulated
  std::vector<ForeseenRow> rows;
  bool is_identical = true;  // the replay
  double wall_seconds = 0;
};

std::string foreseen_text(const Foreseen& foreseen);
std::string foreseen_json(const Foreseen& foreseen);

}  // namespace ontime::cli
