#pragma once
// Pipes for talking to a child process. What fails throws std::runtime_error.

#include <string>

#include "common/base/descriptor.h"

namespace ontime::apps {

[[noreturn]] void throw_system_error(const std::string& what);

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Both ends are closed when a program is executed.
Pipe make_pipe();
void make_non_blocking(const Descriptor& descriptor);

}  // namespace ontime::apps
