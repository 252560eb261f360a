#include <cerrno>
#include <cstring>

#include "cli/command_line.h"
#include "cli/show/table.h"
#include "common/base/wording.h"

namespace ontime::cli {

int report_error(const std::string& verb, const Error& error) {
  std::fputs(complaint(verb.empty() ? "ontime" : "ontime " + verb, printable_lines(error.message)).c_str(), stderr);
  return static_cast<int>(exit_code_of(error));
}

int with_everything_written(int exit_code) {
  errno = 0;  // it stays 0 if an earlier write failed, whose reason nobody kept
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const std::string reason = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
  std::fputs(complaint("ontime", "cannot write to stdout" + reason).c_str(), stderr);
  return static_cast<int>(ExitCode::Failed);
}

}  // namespace ontime::cli
