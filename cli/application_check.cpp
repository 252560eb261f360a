#include "cli/application_check.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/cluster/interrupt.h"
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
  const auto loaded =
      app::LoadedApplication::load(options.application, application_directories(options.application_directories));
  if (!loaded) return loaded.error();
  const auto parameters = loaded->complete(options.parameters);
  return parameters ? Status() : parameters.error();
}

// In the child: an application gets what it would get of a shell, and nothing that the cluster needs.
void start_afresh(int keep) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(keep) - 1, 0);
  close_range(static_cast<unsigned>(keep) + 1, ~0u, 0);
}

[[noreturn]] void tell(const Status& status, int to) {
  const std::string message = status ? kAccepted : status.error().message;
  const bool is_told = write(to, message.data(), message.size()) == static_cast<ssize_t>(message.size());
  _exit(!is_told ? 1 : status ? 0 : static_cast<int>(exit_code_of(status.error())));
}

// Until the child has closed its end, or an interrupt.
std::string read_message(int from) {
  constexpr int kLookMs = 100;  // how soon an interrupt is seen that came just before poll()
  std::string message;
  std::array<char, 4096> buffer{};
  while (interrupts() == 0) {
    pollfd can_read{.fd = from, .events = POLLIN, .revents = 0};
    if (poll(&can_read, 1, kLookMs) <= 0) continue;
    const ssize_t size = read(from, buffer.data(), buffer.size());
    if (size <= 0) break;
    message.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return message;
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
  std::array<int, 2> ends{};
  const bool has_pipe = pipe2(ends.data(), O_CLOEXEC) == 0;
  const pid_t parent = getpid();
  const pid_t child = has_pipe ? fork() : -1;
  if (child == 0) {
    start_afresh(ends[1]);
    tell(die_with_parent(parent) ? load(options) : failed("nobody waits for this"), ends[1]);
  }
  const int problem = errno;
  const Descriptor from(has_pipe ? ends[0] : -1);
  if (has_pipe) close(ends[1]);
  if (child < 0) return failed("cannot start a process that checks the " + whose + ": " + std::strerror(problem));
  const std::string message = read_message(from.get());
  const bool is_interrupted = interrupts() > 0;
  if (is_interrupted) kill(child, SIGKILL);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) continue;
  return is_interrupted ? failed("interrupted while " + whose + " checked its parameters")
                        : outcome(whose, message, wait_status);
}

}  // namespace ontime::cli
