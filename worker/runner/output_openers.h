#pragma once
// Makes output files for runners that may not make them themselves, each in a process of its own: open(2) in a
// directory whose server does not answer waits indefinitely, cannot be ended even by SIGKILL, and must not keep the
// launcher from anything else. Such a process is left behind; it ends when the directory answers. Part of the launcher,
// which reaps.

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/files/roots.h"
#include "worker/data/fault.h"
#include "worker/data/segment_writer.h"
#include "worker/runner/runner_process.h"

namespace ontime::worker {

// An output file that the launcher has made for a runner that runs as another user and may not make it itself. One
// datagram over a SOCK_SEQPACKET pair.

// Never waits. False if it could not be sent.
bool hand_over(int socket, const Outcome<OutputFile>& output);

// Waits for the one that was asked for. `path` for messages.
Outcome<OutputFile> take_over(int socket, const std::string& path);

class OutputOpeners {
 public:
  // So many processes may be left behind in one directory, and so many in all; then an attempt is refused at once, with
  // a sentence. For a directory that is a fault of the output, which attempts elsewhere do not share; in all, of the node.
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
