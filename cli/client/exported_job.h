#pragma once
// A job as one file: a page for people, or a trace for programs that show traces.

#include <string>

#include "cli/client/master_client.h"
#include "cli/command.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace ontime::cli {

// A page draws each attempt if there are not more of them or of tasks; otherwise sums of them.
inline constexpr std::uint32_t kAttemptsDrawn = 1'000;
bool draws_attempts(const wire::JobSummary& job);

// What the master knows of the job now.
Result<std::string> export_job(MasterClient& client, JobId job, ExportCommand::As as);
// To that file, which appears when it is complete; empty: to stdout.
Status write_export(const std::string& text, const std::string& path, bool may_replace);

}  // namespace ontime::cli
