#pragma once
// The first moments of a runner: from a fork of the launcher to a process of its own that serves attempts.

#include <sys/types.h>

#include <functional>

#include "common/app/keeper.h"
#include "common/base/descriptor.h"
#include "worker/confine/confinement.h"

namespace ontime::worker {

// The first moments of any process that the launcher forks.

// From here on it is killed when `launcher` dies. Another user's process forgets this, so it has to come after that.
void die_with(pid_t launcher);
// As in a program that was just started: what the launcher ignores or reads from a descriptor works again.
void reset_signals();

// Starts a process that has all descriptors of this one and runs `body`, which must not return. Its id, or -1 and errno.
// `body` holds what it needs by value, descriptors as numbers: where processes are simulated they share their memory.
using Fork = std::function<pid_t(std::function<void()> body)>;
pid_t fork_process(const std::function<void()>& body);

// What the worker attached to its Spawn, in that order.
struct RunnerDescriptors {
  Descriptor socket;
  Descriptor progress_block;
  Descriptor stderr_pipe;
};

// The same in the new process, where nobody else closes them. `outputs` is where output files come from if the launcher
// makes them, or negative.
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

}  // namespace ontime::worker
