#include "common/flags/everything_written.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/wording.h"

namespace ontime::flags {

int with_everything_written(const std::string& program, int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  // If an earlier write failed, nobody kept its reason. One more write fails for the same reason.
  const bool has_reason = errno != 0 || ::write(STDOUT_FILENO, "\n", 1) < 0;
  if (has_reason && errno == EPIPE) return exit_code;  // who reads has seen enough, as `head` does
  const std::string reason = has_reason ? std::string(": ") + std::strerror(errno) : "";
  std::fputs(complaint(program, "cannot write to stdout" + reason).c_str(), stderr);
  return 1;
}

}  // namespace ontime::flags
