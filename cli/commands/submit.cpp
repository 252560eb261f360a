#include <algorithm>
#include <cstdio>
#include <string>

#include "cli/application_check.h"
#include "cli/client/follow.h"
#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/each_job.h"
#include "cli/job_request.h"
#include "cli/show/table.h"
#include "cli/spooled_input.h"
#include "common/base/wording.h"

namespace ontime::cli {
namespace {

Result<ExitCode> wait_for(MasterClient& client, JobId job, const SubmitCommand& command, SpooledInput& standard_input) {
  ProgressView view(command.quiet);
  auto ended = follow(client, job, view, kMasterAwayMost);
  view.clear();
  if (interrupts() > 0) {
    std::fprintf(stderr, "ontime: stopped waiting; %s goes on ('ontime kill %s' ends it)\n", to_string(job).c_str(),
                 to_string(job).c_str());
    standard_input.keep();
    return ExitCode::Interrupted;
  }
  if (!ended) standard_input.keep();
  if (!ended) return ended.error();
  return report_end(*ended, {.json = command.json,
                             .quiet = command.quiet,
                             .tasks = false,
                             .explained = nullptr,
                             .application_directories = command.job.application_directories,
                             .slots = slots_if_late(client, ended->summary())});
}

}  // namespace

Result<ExitCode> execute(const SubmitCommand& asked) {
  SubmitCommand command = asked;
  if (Status found = look_up_by_name(command.job); !found) return found.error();
  if (Status named = add_named_inputs(command.job); !named) return named.error();
  if (auto status = check_application(command.job); !status) return status.error();
  auto options = client_options(command.master);
  if (!options) return options.error();
  if (command.wait) {
    install_interrupt_handlers();
    options->watch = [] { return check_interrupts(); };
  }
  MasterClient client(std::move(*options));
  const bool has_standard_input = SpooledInput::is_asked(command.job);
  if (has_standard_input && !command.wait)
    return bad_input(
        "input '-' needs --wait, and so does :::, as the file that it is kept in is removed when the job has ended");
  if (auto connected = client.connect(); !connected) return connected.error();
  SpooledInput standard_input(command.quiet);
  const Status read = standard_input.read_for_others(command.job);
  if (interrupts() > 0) return ExitCode::Interrupted;
  if (!read) return read.error();
  complete_each(command.job);
  auto spec = make_job_spec(command.job, current_directory());
  if (const Status added = add_files(command.job, spec); !added) return added.error();
  const auto submitted = client.submit(spec);
  if (!submitted) {
    if (interrupts() > 0) return ExitCode::Interrupted;
    if (submitted.error().kind != ErrorKind::Unavailable) return submitted.error();
    standard_input.keep();
    return failed(submitted.error().message + "; whether the job was accepted, 'ontime jobs' tells");
  }
  const JobId job{submitted->job()};
  if (!submitted->left_out().empty() && !command.quiet)
    std::fprintf(stderr, "ontime: %s\n", printable(submitted->left_out()).c_str());
  if (const std::string due = told_due(command.job); !due.empty() && !command.quiet)
    std::fprintf(stderr, "%s: %s\n", to_string(job).c_str(), due.c_str());
  if (command.wait) {
    if (!command.quiet)
      std::fprintf(stderr, "%s: %s\n", to_string(job).c_str(), counted(submitted->tasks(), "task").c_str());
    return wait_for(client, job, command, standard_input);
  }
  if (!command.json) {
    std::printf("%s\n", to_string(job).c_str());
  } else {
    std::printf("{\"job\": \"%s\", \"tasks\": %u}\n", to_string(job).c_str(), submitted->tasks());
  }
  return ExitCode::Done;
}

}  // namespace ontime::cli
