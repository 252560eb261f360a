#pragma once
// Carrying out a verb of the lab, one overload (and one file) per verb, as cli/commands/execute.h.

#include <string>
#include <vector>

#include "cli/command.h"
#include "common/base/result.h"
#include "lab/scenario/scenario_yaml.h"
#include "lab/verbs/command.h"

namespace ontime::lab {

Result<cli::ExitCode> execute(const SimulateCommand& command);
Result<cli::ExitCode> execute(const ReplayCommand& command);
Result<cli::ExitCode> execute(const PlanCommand& command);
Result<cli::ExitCode> execute(const ExperimentCommand& command);
Result<cli::ExitCode> execute(const CompareCommand& command);

// The files that a scenario names lie beside it.
Surroundings beside(const std::string& scenario);

// The recordings of a journal, or the file that is named instead.
Result<std::vector<std::string>> recordings_of(const std::string& journal, const std::string& recording);

}  // namespace ontime::lab
