#include "worker/runner/output_openers.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "worker/data/output_file.h"
#include "worker/runner/forked_child.h"
#include "worker/runner/output_handover.h"

namespace ontime::worker {
namespace {

// All that it keeps: the launcher's own socket must end with the launcher.
void close_all_but(int socket) {
  ::close_range(STDERR_FILENO + 1, static_cast<unsigned>(socket) - 1, 0);
  ::close_range(static_cast<unsigned>(socket) + 1, UINT_MAX, 0);
}

[[noreturn]] void make_and_hand_over(int socket, const std::string& path, const files::Roots& roots, pid_t launcher) {
  die_with(launcher);
  reset_signals();
  close_all_but(socket);
  hand_over(socket, create_output_file(path, roots));
  ::_exit(0);
}

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

void OutputOpeners::open(std::uint64_t runner, int socket, const std::string& path) {
  const std::string directory = directory_of(path);
  if (has_too_many(directory)) {
    return hand_over(socket, Fault{FaultKind::Node, "cannot create the output file " + path +
                                                        ": earlier attempts still wait for that on this worker; does "
                                                        "the file system hang?"});
  }
  const pid_t launcher = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) make_and_hand_over(socket, path, roots_, launcher);
  if (pid < 0) return hand_over(socket, system_fault(FaultKind::Node, "cannot fork to create the output file " + path));
  openers_[pid] = {runner, directory, false};
}

bool OutputOpeners::has_too_many(const std::string& directory) const {
  std::size_t left = 0;
  std::size_t left_there = 0;
  for (const auto& [pid, opener] : openers_) {
    left += opener.is_left;
    left_there += opener.is_left && opener.directory == directory;
  }
  return left >= kLeftMax || left_there >= kLeftInDirectoryMax;
}

void OutputOpeners::leave(std::uint64_t runner) {
  for (auto& [pid, opener] : openers_) {
    if (opener.runner != runner) continue;
    opener.is_left = true;
    ::kill(pid, SIGKILL);
  }
}

void OutputOpeners::kill_all() {
  for (const auto& [pid, opener] : openers_) ::kill(pid, SIGKILL);
}

}  // namespace ontime::worker
