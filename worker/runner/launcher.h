#pragma once
// The process that forks runners for a worker: small and single-threaded, so that fork is quick and safe, which it
// would not be in the worker. Everything an attempt needs except its application is loaded and resolved here, once.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "common/app/keeper.h"
#include "common/base/result.h"
#include "common/protocol/runner.pb.h"
#include "worker/confine/confinement.h"
#include "worker/runner/output_openers.h"
#include "worker/runner/runner_process.h"

namespace ontime::worker {

struct SpawnOrder {
  std::uint64_t runner = 0;  // the worker's number for it
  uid_t user = 0;            // 0: as the launcher's confinement says
  RunnerDescriptors descriptors;
};

// The attempt that the runner is given next writes to this file.
struct OutputOrder {
  std::uint64_t runner = 0;
  std::string path;
};

// All processes of this user end.
struct SweepOrder {
  uid_t user = 0;
};

using LauncherOrder = std::variant<SpawnOrder, OutputOrder, SweepOrder>;

// The launcher's end of the socket to its worker: orders with descriptors attached come in, reports go out. Blocking;
// both sides always send whole frames.
class LauncherSocket {
 public:
  explicit LauncherSocket(Descriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // The next order, waiting for it; nothing when the worker has closed its end.
  Result<std::optional<LauncherOrder>> receive();
  Status send(const wire::FromLauncher& message);

 private:
  // Fills `to` and collects the descriptors that come along; false if the stream ends before.
  Result<bool> receive_exactly(char* to, std::size_t size, std::vector<Descriptor>& attached);

  Descriptor socket_;
  std::string outgoing_;  // reused
};

class Launcher {
 public:
  Launcher(Descriptor socket, Confinement confinement, Fork fork = fork_process);

  // Serves until the worker closes the socket or SIGTERM comes, then kills what is left. The process's exit status.
  int run();

 private:
  Status serve(int signals);
  Result<bool> obey_next();  // false: the worker is gone
  bool spawn(SpawnOrder order);
  void open_output(const OutputOrder& order);
  void sweep(uid_t user);
  Status report_exits();
  Status report_exit(pid_t pid, int wait_status);
  // Kills all that it has started and waits for their ends, not for long: what hangs in the kernel ends later.
  void kill_all(int signals);

  LauncherSocket socket_;
  const Confinement confinement_;
  const Fork fork_;
  const app::Keeper keeper_;
  std::map<pid_t, std::uint64_t> runners_;           // by process id; alive or not yet reaped
  std::map<std::uint64_t, Descriptor> outputs_;  // of those: our ends, where their output files go
  std::set<uid_t> users_;  // of jobs, not swept yet
  OutputOpeners openers_;
};

}  // namespace ontime::worker
