// report, trace: a job as one file.
#include "cli/client/exported_job.h"
#include "cli/client/follow.h"
#include "cli/client/selector.h"
#include "cli/commands/execute.h"

namespace ontime::cli {

Result<ExitCode> execute(const ExportCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  MasterClient client(std::move(*options));
  const auto id = find_job(client, command.job);
  if (!id) return id.error();
  const auto exported = export_job(client, *id, command.as);
  if (!exported) return exported.error();
  const Status written = write_export(*exported, command.output, command.force);
  if (!written) return written.error();
  return ExitCode::Done;
}

}  // namespace ontime::cli
