#pragma once
// Starting and ending the launcher process (ontime-runner --launcher). posix_spawn, never fork: the worker may be
// large.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/descriptor.h"
#include "common/base/result.h"

namespace ontime::worker {

// A running launcher: our end of the socket to it. Without a process id it is a test's.
struct StartedLauncher {
  Descriptor socket;
  pid_t pid = 0;
};

using LauncherStarter = std::function<Result<StartedLauncher>()>;

// Starts `program` in a process group of its own (a key press in the terminal is the worker's affair) with the socket
// as its only descriptor besides the standard ones, with further `arguments` and this environment ("NAME=VALUE"; none:
// ours).
Result<StartedLauncher> start_launcher(const std::string& program, std::vector<std::string> arguments = {},
                                       std::optional<std::vector<std::string>> environment = {});

// Where the program lies: beside our own binary.
std::string launcher_path();

// Waits until it has ended, having been told so by the close of its socket; kills it after a second. Blocks, for two
// seconds at most: a process that hangs in the kernel is left behind.
void await_launcher_end(pid_t pid);
// Kills it (its runners die with it) and reaps it. Blocks, for a second at most.
void kill_launcher(pid_t pid);

}  // namespace ontime::worker
