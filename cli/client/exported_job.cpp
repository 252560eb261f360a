#include "cli/client/exported_job.h"

#include "cli/result/answer_output.h"
#include "cli/show/trace_json.h"
#include "cli/web/report_page.h"

namespace ontime::cli {

bool draws_attempts(const wire::JobSummary& job) {
  return job.tasks() <= kAttemptsDrawn && job.attempts_launched() <= kAttemptsDrawn;
}

Result<std::string> export_job(MasterClient& client, JobId id, ExportCommand::As as) {
  const bool is_trace = as == ExportCommand::As::Trace;
  auto job = client.describe(id, {});
  if (!job) return job.error();
  const bool with_tasks = is_trace || draws_attempts(job->summary());
  job = client.describe(id, {.tasks = with_tasks, .forecast = true, .account = true, .overview = !is_trace});
  if (!job) return job.error();
  if (with_tasks) job->clear_overview();
  wire::Reply::Explained explained;  // of attempts that are drawn
  if (with_tasks) {
    wire::Request::Explain request;
    request.set_job(id.value);
    auto answer = client.explain(std::move(request));
    if (!answer) return answer.error();
    explained = std::move(*answer);
  }
  return is_trace ? trace_json(*job, explained) : report_page(*job, explained);
}

Status write_export(const std::string& text, const std::string& path, bool may_replace) {
  auto file = AnswerFile::make(path, may_replace);
  if (!file) return file.error();
  DescriptorOutput out(file->descriptor(), file->shown_name());
  out.write(text);
  if (Status written = out.finish(); !written) return written;
  return file->publish();
}

}  // namespace ontime::cli
