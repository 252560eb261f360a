#pragma once
// Carrying out a command, one overload (and one file) per verb. Answers go to stdout, progress to stderr; an error is
// printed by the caller.

#include <string>
#include <vector>

#include "cli/client/master_client.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "common/base/result.h"

namespace ontime::cli {

Result<ExitCode> execute(const RunCommand& command);
Result<ExitCode> execute(const SubmitCommand& command);
Result<ExitCode> execute(const JobsCommand& command);
Result<ExitCode> execute(const JobCommand& command);
Result<ExitCode> execute(const ExplainCommand& command);
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

// How to reach the master that the options name. BadInput for a bad address or an unreadable token file.
Result<MasterClient::Options> client_options(const MasterOptions& options);

// How many tasks are explained unless all are asked for.
inline constexpr std::uint32_t kTasksExplained = 20;

// What `run` and `submit --wait` say when the job has ended, and the exit code that belongs to it. Prints the job as
// JSON or text to stdout, the reason of a failure to stderr.
struct ReportStyle {
  bool json = false;
  bool quiet = false;
  bool tasks = false;                                 // `job` holds tasks, and they are to be shown
  const wire::Reply::Explained* explained = nullptr;  // to be shown too
};
ExitCode report_end(const wire::Reply::Job& job, ReportStyle style);

}  // namespace ontime::cli
