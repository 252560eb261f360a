#include "apps/exec/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace ontime::apps {

void throw_system_error(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_system_error("cannot make a pipe for the command");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void make_non_blocking(const Descriptor& descriptor) {
  const int flags = fcntl(descriptor.get(), F_GETFL);
  if (flags < 0 || fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw_system_error("cannot prepare a pipe for the command");
  }
}

}  // namespace ontime::apps
