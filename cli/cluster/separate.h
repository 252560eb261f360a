#pragma once
// Work in a process of its own, for what may crash, or wait for a server for as long as that likes: an interrupt
// (interrupt.h) ends it at once.

#include <functional>
#include <string>

#include "common/base/result.h"

namespace ontime::cli {

// What the process has to say, and what it exits with.
struct Told {
  std::string message;
  int code = 0;
};

struct Separate {
  bool is_interrupted = false;
  std::string message;  // empty if it has told nothing
  int wait_status = 0;  // see waitpid
};

// Failed if there can be no further process. For a process without other threads.
Result<Separate> run_separately(const std::function<Told()>& work);

}  // namespace ontime::cli
