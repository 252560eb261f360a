#include <cstdio>

#include "cli/client/follow.h"
#include "cli/commands/execute.h"
#include "cli/show/job_json.h"
#include "cli/show/job_text.h"

namespace ontime::cli {

Result<ExitCode> execute(const ExplainCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  MasterClient client(std::move(*options));
  wire::Request::Explain request;
  request.set_job(command.job.value);
  if (command.task) request.set_task(*command.task);
  if (!command.all) request.set_tasks_max(kTasksExplained);
  const auto explained = client.explain(std::move(request));
  if (!explained) return explained.error();
  const bool whole = command.all || command.task.has_value();
  std::fputs((command.json ? explained_json(*explained) : explained_text(*explained, whole)).c_str(), stdout);
  return ExitCode::Done;
}

}  // namespace ontime::cli
