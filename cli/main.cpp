// The command line of Ontime: parses, carries out, says what went wrong.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/execute.h"
#include "cli/show/table.h"
#include "common/base/wording.h"

namespace ontime::cli {
namespace {

int main_of(const std::vector<std::string>& arguments) {
  const auto parsed = parse_command_line(arguments);
  if (!parsed.command) {
    std::fputs(parsed.text.c_str(), parsed.exit == ExitCode::Done ? stdout : stderr);
    return static_cast<int>(parsed.exit);
  }
  const auto code = std::visit([](const auto& command) { return execute(command); }, *parsed.command);
  if (code) return static_cast<int>(*code);
  std::fputs(complaint("ontime " + parsed.verb, printable_lines(code.error().message)).c_str(), stderr);
  return static_cast<int>(exit_code_of(code.error()));
}

// An answer that is piped into a full disk must not pass for a whole one.
int with_everything_written(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fputs(complaint("ontime", std::string("cannot write to stdout: ") + std::strerror(errno)).c_str(), stderr);
  return static_cast<int>(ExitCode::Failed);
}

}  // namespace
}  // namespace ontime::cli

int main(int argc, char** argv) {
  using namespace ontime::cli;
  return with_everything_written(main_of({argv + 1, argv + argc}));
}
