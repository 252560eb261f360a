#pragma once
// What is written about all runs of an experiment together, and the table that is shown.

#include <string>
#include <vector>

#include "cli/experiment/result_directory.h"
#include "common/base/result.h"
#include "experiment/plan.h"
#include "experiment/rows.h"
#include "experiment/scenario.h"
#include "experiment/summary.h"

namespace ontime::cli {

// Tables, summaries and the report.
Status write_results(const ResultDirectory& directory, const experiment::Scenario& scenario,
                     const experiment::Results& results, std::uint32_t slots);

std::string summary_table(const std::vector<experiment::PolicySummary>& all, const experiment::Scenario& scenario);

}  // namespace ontime::cli
