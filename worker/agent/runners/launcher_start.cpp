#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "common/base/environment.h"
#include "common/base/program_path.h"
#include "common/base/spawning.h"
#include "worker/agent/runners/launcher_link.h"

namespace ontime::worker {
namespace {

constexpr int kSocketInLauncher = 3;
constexpr int kPatienceMs = 1000;

// True once it has ended and is reaped.
bool is_reaped_in_time(pid_t pid) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  while (process && ::poll(&ended, 1, kPatienceMs) < 0 && errno == EINTR) {
  }
  const pid_t reaped = ::waitpid(pid, nullptr, WNOHANG);
  return reaped == pid || (reaped < 0 && errno == ECHILD);
}

}  // namespace

Result<StartedLauncher> start_launcher(const std::string& program, std::vector<std::string> arguments,
                                       std::optional<std::vector<std::string>> environment) {
  std::array<int, 2> sockets{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return failed(std::string("cannot make a socket pair for the launcher: ") + std::strerror(errno));
  }
  StartedLauncher launcher{Descriptor(sockets[0]), 0};
  const Descriptor theirs(sockets[1]);
  arguments.insert(arguments.begin(), {program, "--launcher", std::to_string(kSocketInLauncher)});
  const int error =
      Spawning()
          .give(theirs.get(), kSocketInLauncher)
          .close_from(kSocketInLauncher + 1)
          .start(std::move(arguments), environment ? std::move(*environment) : environment_with({}), launcher.pid);
  if (error != 0) {
    return failed("cannot start " + program + ": " + std::strerror(error) +
                  "; it belongs beside ontime-worker, install or build all programs");
  }
  return launcher;
}

std::string launcher_path() { return (program_path().parent_path() / "ontime-runner").string(); }

void await_launcher_end(pid_t pid) {
  if (pid > 0 && !is_reaped_in_time(pid)) kill_launcher(pid);
}

void kill_launcher(pid_t pid) {
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);
  is_reaped_in_time(pid);
}

}  // namespace ontime::worker
