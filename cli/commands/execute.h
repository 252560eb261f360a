#pragma once
// Carrying out a command, one overload (and one file) per verb. Answers go to stdout, progress to stderr; an error is
// printed by the caller.

#include <string>
#include <vector>

#include "cli/command.h"
#include "common/base/result.h"

namespace ontime::cli {

Result<ExitCode> execute(const RunCommand& command);
Result<ExitCode> execute(const SubmitCommand& command);
Result<ExitCode> execute(const JobsCommand& command);
Result<ExitCode> execute(const JobCommand& command);
Result<ExitCode> execute(const TopCommand& command);
Result<ExitCode> execute(const ExplainCommand& command);
Result<ExitCode> execute(const LogsCommand& command);
Result<ExitCode> execute(const ExportCommand& command);
Result<ExitCode> execute(const NodesCommand& command);
Result<ExitCode> execute(const KillCommand& command);
Result<ExitCode> execute(const DrainCommand& command);
Result<ExitCode> execute(const ResultCommand& command);
Result<ExitCode> execute(const VerifyCommand& command);
Result<ExitCode> execute(const AppsCommand& command);
Result<ExitCode> execute(const PoliciesCommand& command);
Result<ExitCode> execute(const GenCommand& command);
Result<ExitCode> execute(const TeraValidateCommand& command);
Result<ExitCode> execute(const WebCommand& command);
Result<ExitCode> execute(const CertsCommand& command);
Result<ExitCode> execute(const CompletionCommand& command);

// Where applications are looked for: `first`, then the default places.
std::vector<std::string> application_directories(std::vector<std::string> first);

}  // namespace ontime::cli
