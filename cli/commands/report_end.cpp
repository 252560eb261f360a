#include <unistd.h>

#include <cstdio>
#include <string>

#include "cli/client/follow.h"
#include "cli/commands/execute.h"
#include "cli/show/job_json.h"
#include "cli/show/job_text.h"

namespace ontime::cli {

ExitCode report_end(const wire::Reply::Job& job, ReportStyle style) {
  const auto& summary = job.summary();
  const bool succeeded = summary.state() == wire::SUCCEEDED;
  std::string text;
  if (style.json)
    text = job_json(job, style.tasks, false, style.explained);
  else if (style.tasks)
    text = tasks_table(job, false, colours_of(STDOUT_FILENO)) + "\n";
  if (!style.json && style.explained != nullptr) text += explained_text(*style.explained, false) + "\n";
  if (!style.json && !style.quiet && succeeded)
    text += summary_text(summary, style.application_directories) + speculation_text(job);
  std::fputs(text.c_str(), stdout);
  if (!succeeded) {
    std::fflush(stdout);
    std::fprintf(stderr, "ontime: %s\n", failure_text(summary).c_str());
    return ExitCode::Failed;
  }
  return missed_its_deadline(summary) ? ExitCode::Late : ExitCode::Done;
}

}  // namespace ontime::cli
