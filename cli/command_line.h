#pragma once
// From argv to a Command, pure apart from reading the environment ($ONTIME_MASTER) and the number of cores; and from
// there to what the main functions of ontime and ontime-lab return.

#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"

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

// Prints the error in the one form that all verbs have, and gives the code to exit with.
int report_error(const std::string& verb, const Error& error);

// REQUIRES: execute() takes each kind of command; it is found in the namespace of the command.
template <class AnyCommand>
int carry_out(const Parsed<AnyCommand>& parsed) {
  if (!parsed.command) {
    std::fputs(parsed.text.c_str(), parsed.exit == ExitCode::Done ? stdout : stderr);
    return static_cast<int>(parsed.exit);
  }
  const auto code = std::visit([](const auto& command) { return execute(command); }, *parsed.command);
  return code ? static_cast<int>(*code) : report_error(parsed.verb, code.error());
}

}  // namespace ontime::cli
