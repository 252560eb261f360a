#pragma once
// Summaries for programs.

#include <string>
#include <vector>

#include "lab/experiment/summary.h"

namespace ontime::lab::experiment {

std::string summary_csv(const std::vector<PolicySummary>& all);
std::string summary_json(const std::vector<PolicySummary>& all);
std::string utilisation_csv(const Results& results, std::uint32_t slots);

}  // namespace ontime::lab::experiment
