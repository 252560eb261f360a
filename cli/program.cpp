#include "cli/program.h"

#include <cerrno>
#include <cstring>

#include "cli/show/table.h"
#include "common/base/wording.h"

namespace ontime::cli {

int report_error(const std::string& verb, const Error& error) {
  std::fputs(complaint("ontime " + verb, printable_lines(error.message)).c_str(), stderr);
  return static_cast<int>(exit_code_of(error));
}

int with_everything_written(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fputs(complaint("ontime", std::string("cannot write to stdout: ") + std::strerror(errno)).c_str(), stderr);
  return static_cast<int>(ExitCode::Failed);
}

}  // namespace ontime::cli
