#pragma once
// The process that forks runners for a worker: small and single-threaded, so that fork is quick and safe, which it
// would not be in the worker. Everything an attempt needs except its application is loaded and resolved here, once.

#include <sys/types.h>

#include <cstdint>
#include <map>

#include "worker/runner/launcher_socket.h"

namespace ontime::worker {

class Launcher {
 public:
  explicit Launcher(FileDescriptor socket) : socket_(std::move(socket)) {}

  // Serves until the worker closes the socket or SIGTERM comes, then kills what is left. The process's exit status.
  int run();

 private:
  Status serve(int signals);
  Result<bool> spawn_next();  // false: the worker is gone
  Status report_exits();
  void kill_all();

  LauncherSocket socket_;
  std::map<pid_t, std::uint64_t> runners_;  // by process id; alive or not yet reaped
};

}  // namespace ontime::worker
