// The command line of Ontime: parses, carries out, says what went wrong.
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/execute.h"
#include "cli/show/table.h"

int main(int argc, char** argv) {
  using namespace ontime::cli;
  const auto parsed = parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.command) {
    std::fputs(parsed.text.c_str(), parsed.exit == ExitCode::Done ? stdout : stderr);
    return static_cast<int>(parsed.exit);
  }
  const auto code = std::visit([](const auto& command) { return execute(command); }, *parsed.command);
  if (code) return static_cast<int>(*code);
  std::fprintf(stderr, "ontime %s: %s\n", parsed.verb.c_str(), printable_lines(code.error().message).c_str());
  return static_cast<int>(exit_code_of(code.error()));
}
