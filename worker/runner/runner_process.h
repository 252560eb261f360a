#pragma once
// The first moments of a runner: from a fork of the launcher to a process of its own that serves attempts.

#include <sys/types.h>

#include "worker/data/file_descriptor.h"

namespace ontime::worker {

// What the worker attached to its Spawn, in that order.
struct RunnerDescriptors {
  FileDescriptor socket;
  FileDescriptor progress_block;
  FileDescriptor stderr_pipe;
};

// To be called in the child right after fork; never returns. Own process group; dies with `launcher`; default signals;
// standard input empty, standard output and error into the pipe; every other descriptor closed.
[[noreturn]] void become_runner(RunnerDescriptors descriptors, pid_t launcher);

}  // namespace ontime::worker
