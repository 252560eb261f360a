#pragma once
// From argv to a Command. Pure apart from reading the environment ($ONTIME_MASTER) and the number of cores.

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"

namespace ontime::cli {

// Either a command, or a text to print (help and version on stdout, a complaint on stderr) and the code to exit with.
template <class AnyCommand>
struct Parsed {
  std::optional<AnyCommand> command;
  std::string verb;  // "run": for messages; empty if there was none
  std::string text;
  ExitCode exit = ExitCode::Done;
};
using ParsedCommandLine = Parsed<Command>;

// `arguments` without the program's name.
ParsedCommandLine parse_command_line(std::vector<std::string> arguments);

}  // namespace ontime::cli
