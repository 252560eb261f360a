#pragma once
// Arrivals and sizes of real jobs: a CSV file with a header line, one job per line, of which the columns submit_s
// (seconds, ascending) and tasks are read. Lines that begin with # are skipped.

#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

Result<std::vector<TraceJob>> read_trace_csv(const std::string& text);

}  // namespace ontime::lab
