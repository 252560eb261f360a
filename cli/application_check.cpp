#include "cli/application_check.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/cluster/separate.h"
#include "cli/commands/execute.h"
#include "common/app/loaded_application.h"
#include "common/base/descriptor.h"

namespace ontime::cli {
namespace {

// Said by a process whose application takes the parameters: an application that ends the process has not said so.
constexpr const char* kAccepted = "accepted";

Status load(const JobOptions& options) {
  for (const auto& directory : options.application_directories) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(directory, ignored))
      return bad_input("--app-dir: '" + directory + "' is not a directory");
  }
  const auto loaded = app::LoadedApplication::load(
      options.application, application_directories(options.application_directories), app::Keeper{geteuid(), getegid()});
  if (!loaded) return loaded.error();
  const auto parameters = loaded->complete(options.parameters);
  if (!parameters) return parameters.error();
  if (!options.records.empty() && loaded->application().record_format(*parameters))
    return bad_input("--records: the application " + loaded->name() + " has records of its own; leave the flag out");
  return {};
}

Status outcome(const std::string& whose, const std::string& message, int wait_status) {
  if (WIFSIGNALED(wait_status))
    return bad_input(whose + " crashed while it checked its parameters: " + strsignal(WTERMSIG(wait_status)));
  const int code = WEXITSTATUS(wait_status);
  if (code == 0 && message == kAccepted) return {};
  if (code == 0 || message.empty()) {
    return bad_input(whose + " ended the process, with exit code " + std::to_string(code) +
                     ", while it checked its parameters; it has to return or to throw");
  }
  return code == static_cast<int>(ExitCode::BadUsage) ? bad_input(message) : failed(message);
}

}  // namespace

bool is_application(const JobOptions& options) {
  const auto names = app::list_applications(application_directories(options.application_directories));
  return std::find(names.begin(), names.end(), options.application) != names.end();
}

Status check_application(const JobOptions& options) {
  const std::string whose = "application '" + options.application + "'";
  const auto checked = run_separately([&] {
    const Status status = load(options);
    return status ? Told{kAccepted, 0} : Told{status.error().message, static_cast<int>(exit_code_of(status.error()))};
  });
  if (!checked) return failed("cannot check the " + whose + ": " + checked.error().message);
  return checked->is_interrupted ? failed("interrupted while " + whose + " checked its parameters")
                                 : outcome(whose, checked->message, checked->wait_status);
}

}  // namespace ontime::cli
