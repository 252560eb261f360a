#pragma once
// The processes that the launcher forks: runners, which serve attempts, and those that make output files for runners
// that may not make them themselves.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/app/loaded_application.h"
#include "common/base/descriptor.h"
#include "common/files/roots.h"
#include "worker/confine/confinement.h"
#include "worker/data/fault.h"
#include "worker/data/segment_writer.h"

namespace ontime::worker {

// The first moments of any process that the launcher forks.

// From here on it is killed when `launcher` dies; ends it if that has happened. Another user's process forgets this, so
// it has to come after that.
void die_with(pid_t launcher);
// As in a program that was just started: what the launcher ignores or reads from a descriptor works again.
void reset_signals();

// Starts a process that has all descriptors of this one and runs `body`, which must not return. Returns its id, or -1
// and errno. `body` holds what it needs by value and descriptors as numbers: simulated processes share their memory.
using Fork = std::function<pid_t(std::function<void()> body)>;
pid_t fork_process(const std::function<void()>& body);

// The descriptors that the worker attached to a runner's Spawn, in that order. The new process owns them. `outputs`
// delivers the output files if the launcher makes them, otherwise it is negative.
struct RunnerInheritance {
  int socket;
  int progress_block;
  int stderr_pipe;
  int outputs;
};

// To be called in the child right after fork; never returns. Own process group; dies with `launcher`; default signals;
// standard input empty, standard output and error into the pipe; every other descriptor closed; confined. The worker's
// user keeps the applications.
[[noreturn]] void become_runner(const RunnerInheritance& inherited, pid_t launcher, const Confinement& confinement,
                                const app::Keeper& keeper);

// An output file that the launcher has made for a runner that runs as another user and may not make it itself. One
// datagram over a SOCK_SEQPACKET pair.

// Never waits. False if it could not be sent.
bool hand_over(int socket, const Outcome<OutputFile>& output);

// Waits for the one that was asked for. `path` for messages.
Outcome<OutputFile> take_over(int socket, const std::string& path);

// Makes output files, each in a process of its own: open(2) in a directory whose server does not answer waits
// indefinitely, cannot be ended even by SIGKILL, and must not keep the launcher from anything else. Such a process is
// left behind; it ends when the directory answers. Part of the launcher, which reaps.
class OutputOpeners {
 public:
  // How many processes may be left behind, in one directory and in total. Beyond that an attempt is refused at once.
  // The bound of a directory is a fault of that output, which other attempts do not share; the total is a fault of the
  // node.
  static constexpr std::size_t kLeftInDirectoryMax = 8;
  static constexpr std::size_t kLeftMax = 256;

  explicit OutputOpeners(files::Roots roots, Fork fork = fork_process)
      : roots_(std::move(roots)), fork_(std::move(fork)) {}

  // The file at `path`, or why there is none, goes to `socket`. Never waits.
  void open(std::uint64_t runner, int socket, const std::string& path);
  // Nobody waits for its file any more: the runner has ended.
  void leave(std::uint64_t runner);
  // A process was reaped; false if it is none of these. Reports to a runner whose file it has not handed over.
  bool on_exited(pid_t pid, int wait_status);
  void kill_all();
  bool empty() const { return openers_.empty(); }

 private:
  struct Opener {
    std::uint64_t runner = 0;
    int socket = -1;  // of the runner, while it is not left
    std::string path;
    bool is_left = false;
  };
  // Whether so many are left behind that no other is started.
  std::optional<Fault> check_left(const std::string& path) const;

  const files::Roots roots_;
  const Fork fork_;
  std::map<pid_t, Opener> openers_;
};

}  // namespace ontime::worker
