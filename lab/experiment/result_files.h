#pragma once
// What is written about all runs of an experiment together, and the table that is shown.

#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/result_directory.h"
#include "lab/experiment/rows.h"
#include "lab/experiment/summary.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

// Tables, summaries and the report.
Status write_results(const ResultDirectory& directory, const Scenario& scenario,
                     const Results& results, std::uint32_t slots);

std::string summary_table(const std::vector<PolicySummary>& all, const Scenario& scenario);

}  // namespace ontime::lab::experiment
