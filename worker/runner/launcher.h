#pragma once
// The process that forks runners for a worker: small and single-threaded, so that fork is quick and safe, which it
// would not be in the worker. Everything an attempt needs except its application is loaded and resolved here, once.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "common/app/loaded_application.h"
#include "common/base/result.h"
#include "common/protocol/runner.pb.h"
#include "worker/confine/confinement.h"
#include "worker/runner/children.h"
#include "worker/runner/runner_channel.h"

namespace ontime::worker {

class Launcher {
 public:
  Launcher(Descriptor socket, Confinement confinement, Fork fork = fork_process);

  // Serves until the worker closes the socket or SIGTERM comes, then kills what is left. The process's exit status.
  int run();

 private:
  Status serve(int signals);
  Result<bool> obey_next();  // false: the worker is gone
  // `attached`: the ends of the runner's socket, progress block and stderr pipe.
  bool spawn(const wire::ToLauncher::Spawn& order, const std::vector<Descriptor>& attached);
  void open_output(const wire::ToLauncher::OpenOutput& order);
  void sweep(uid_t user);
  Status report_exits();
  Status report_exit(pid_t pid, int wait_status);
  // Kills all that it has started and waits for their ends, not for long: what hangs in the kernel ends later.
  void kill_all(int signals);

  WorkerChannel worker_;
  const Confinement confinement_;
  const Fork fork_;
  const app::Keeper keeper_;
  std::map<pid_t, std::uint64_t> runners_;           // by process id; alive or not yet reaped
  std::map<std::uint64_t, Descriptor> outputs_;  // of those: our ends, where their output files go
  std::set<uid_t> users_;  // of jobs, not swept yet
  OutputOpeners openers_;
};

}  // namespace ontime::worker
