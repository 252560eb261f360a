#include <signal.h>
#include <unistd.h>

#include <climits>
#include <utility>

#include "common/protocol/runner.pb.h"
#include "worker/runner/children.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kBytesMax = 16u << 10;

Fault lost(const std::string& path) {
  return {FaultKind::Node, "cannot create the output file " + path + ": the worker's launcher did not hand it over"};
}

}  // namespace

bool hand_over(int socket, const Outcome<OutputFile>& output) {
  wire::OutputFile message;
  if (!output) {
    message.set_error(output.error().message);
    message.set_is_nodes_own(output.error().kind == FaultKind::Node);
  }
  std::string bytes = message.SerializeAsString();
  if (bytes.empty()) bytes.push_back('\0');  // a datagram without a byte looks like the end; no field begins so
  std::vector<int> attached;
  if (output) attached = {output->file(), output->directory()};
  return send_attached(socket, bytes, attached) >= 0;
}

Outcome<OutputFile> take_over(int socket, const std::string& path) {
  std::string bytes(kBytesMax, '\0');
  std::vector<Descriptor> attached;
  const ssize_t size = receive_attached(socket, bytes, attached);
  if (size <= 0) return lost(path);
  if (attached.size() == 2) return OutputFile(path, std::move(attached[0]), std::move(attached[1]));
  wire::OutputFile message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(size)) || message.error().empty()) return lost(path);
  return Fault{message.is_nodes_own() ? FaultKind::Node : FaultKind::Output, message.error()};
}

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
  ::_exit(hand_over(socket, OutputFile::create(path, roots)) ? 0 : 1);
}

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

Fault cannot_create(FaultKind kind, const std::string& path, const std::string& why) {
  return {kind, "cannot create the output file " + path + ": " + why};
}

}  // namespace

void OutputOpeners::open(std::uint64_t runner, int socket, const std::string& path) {
  std::optional<Fault> fault = check_left(path);
  const auto make = [socket, path, roots = roots_, launcher = ::getpid()] {
    make_and_hand_over(socket, path, roots, launcher);
  };
  const pid_t pid = fault ? -1 : fork_(make);
  if (pid > 0) {
    openers_[pid] = {runner, socket, path, false};
    return;
  }
  if (!fault) fault = system_fault(FaultKind::Node, "cannot fork to create the output file " + path);
  static_cast<void>(hand_over(socket, *fault));  // a runner that does not take it is none of the launcher's concern
}

// After it has handed over it only ends. One that is killed in between spoils the runner's next attempt.
bool OutputOpeners::on_exited(pid_t pid, int wait_status) {
  const auto found = openers_.extract(pid);
  if (found.empty()) return false;
  const Opener& opener = found.mapped();
  if (wait_status != 0 && !opener.is_left) {
    const auto failure =
        cannot_create(FaultKind::Node, opener.path, "the process that was to do that has ended before");
    static_cast<void>(hand_over(opener.socket, failure));
  }
  return true;
}

std::optional<Fault> OutputOpeners::check_left(const std::string& path) const {
  std::size_t left = 0;
  std::size_t left_there = 0;
  for (const auto& [pid, opener] : openers_) {
    left += opener.is_left;
    left_there += opener.is_left && directory_of(opener.path) == directory_of(path);
  }
  if (left_there >= kLeftInDirectoryMax) {
    return cannot_create(FaultKind::Output, path,
                         "earlier attempts still wait for that on this worker; does the file system hang?");
  }
  if (left >= kLeftMax) {
    return cannot_create(FaultKind::Node, path, "too many attempts of this worker still wait for that; do disks hang?");
  }
  return std::nullopt;
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
