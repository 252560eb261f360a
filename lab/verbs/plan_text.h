#pragma once
// What is to be expected of a job that has not run yet, as text and as JSON.

#include <cstdint>
#include <string>
#include <vector>

#include "lab/foresight/plan.h"

namespace ontime::lab {

struct PlannedRow {
  std::string policy;  // as it was asked for
  PlanAnswer answer;
};

struct Planned {
  std::string application;
  PlanQuestion question;
  std::uint64_t input_bytes = 0;
  std::string source;       // of the durations, in words
  std::size_t samples = 0;  // 0: hints
  double beta_error = 0;    // of a Pareto tail; 0: not known
  double price = 0;         // of an hour of a slot; 0: not asked for
  std::vector<PlannedRow> rows;
  double wall_seconds = 0;
};

std::string planned_text(const Planned& planned, bool explain);
std::string planned_json(const Planned& planned);

}  // namespace ontime::lab
