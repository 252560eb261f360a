#include "cli/application_check.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "common/app/loaded_application.h"

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

}  // namespace

ApplicationCheck::ApplicationCheck(const JobOptions& options) : whose_("application '" + options.application + "'") {
  std::array<int, 2> ends{};
  const bool has_pipe = pipe2(ends.data(), O_CLOEXEC) == 0;
  process_ = has_pipe ? fork() : -1;
  if (process_ == 0) tell(load(options), ends[1]);
  if (process_ < 0) problem_ = errno;
  if (!has_pipe) return;
  from_ = Descriptor(ends[0]);
  close(ends[1]);
}

ApplicationCheck::~ApplicationCheck() {
  if (process_ <= 0 || waitpid(process_, nullptr, WNOHANG) != 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void ApplicationCheck::tell(const Status& status, int to) const {
  const std::string message = status ? kAccepted : status.error().message;
  const bool is_told = write(to, message.data(), message.size()) == static_cast<ssize_t>(message.size());
  _exit(!is_told ? 1 : status ? 0 : static_cast<int>(exit_code_of(status.error())));
}

std::string ApplicationCheck::read_message() const {
  constexpr int kLookMs = 100;  // how soon an interrupt is seen that came just before poll()
  std::string message;
  std::array<char, 4096> buffer{};
  while (interrupts() == 0) {
    pollfd can_read{.fd = from_.get(), .events = POLLIN, .revents = 0};
    if (poll(&can_read, 1, kLookMs) <= 0) continue;
    const ssize_t size = read(from_.get(), buffer.data(), buffer.size());
    if (size <= 0) break;
    message.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return message;
}

const Status& ApplicationCheck::wait() {
  if (!result_) result_ = outcome();
  return *result_;
}

Status ApplicationCheck::outcome() {
  if (process_ < 0) return failed("cannot start a process that checks the " + whose_ + ": " + std::strerror(problem_));
  const std::string message = read_message();
  if (interrupts() > 0) return failed("interrupted while " + whose_ + " checked its parameters");
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = 0;
  if (WIFSIGNALED(status))
    return bad_input(whose_ + " crashed while it checked its parameters: " + strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 0 && message == kAccepted) return {};
  if (message.empty() || WEXITSTATUS(status) == 0)
    return bad_input(whose_ + " ended the process, with exit code " + std::to_string(WEXITSTATUS(status)) +
                     ", while it checked its parameters; it has to return or to throw");
  return WEXITSTATUS(status) == static_cast<int>(ExitCode::BadUsage) ? bad_input(message) : failed(message);
}

Status check_application(const JobOptions& options) { return ApplicationCheck(options).wait(); }

}  // namespace ontime::cli
