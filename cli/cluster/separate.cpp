#include "cli/cluster/separate.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "cli/cluster/interrupt.h"
#include "common/base/descriptor.h"

namespace ontime::cli {
namespace {

// In the child: what it runs gets what it would get of a shell, and nothing that the cluster needs.
void start_afresh(int keep) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(keep) - 1, 0);
  close_range(static_cast<unsigned>(keep) + 1, ~0u, 0);
}

[[noreturn]] void tell(const Told& told, int to) {
  const bool is_told = write_all(to, told.message) == 0;
  _exit(is_told ? told.code : 1);
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

}  // namespace

Result<Separate> run_separately(const std::function<Told()>& work) {
  std::array<int, 2> ends{};
  const bool has_pipe = pipe2(ends.data(), O_CLOEXEC) == 0;
  const pid_t parent = getpid();
  const pid_t child = has_pipe ? fork() : -1;
  if (child == 0) {
    start_afresh(ends[1]);
    tell(die_with_parent(parent) ? work() : Told{"nobody waits for this", 1}, ends[1]);
  }
  const int problem = errno;
  const Descriptor from(has_pipe ? ends[0] : -1);
  if (has_pipe) close(ends[1]);
  if (child < 0) return failed("cannot start another process: " + std::string(std::strerror(problem)));
  Separate separate;
  separate.message = read_message(from.get());
  separate.is_interrupted = interrupts() > 0;
  // One that hangs in a call to a file system may not end yet; it is left behind.
  if (separate.is_interrupted) kill(child, SIGKILL);
  while (waitpid(child, &separate.wait_status, separate.is_interrupted ? WNOHANG : 0) < 0 && errno == EINTR) continue;
  return separate;
}

}  // namespace ontime::cli
