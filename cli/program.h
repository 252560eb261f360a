#pragma once
// What the main functions of ontime and ontime-lab share: carries out what was parsed, and says what went wrong.

#include <cstdio>
#include <string>
#include <variant>

#include "cli/command_line.h"

namespace ontime::cli {

// Prints the error in the one form that all verbs have, and gives the code to exit with.
int report_error(const std::string& verb, const Error& error);
// An answer that is piped into a full disk must not pass for a whole one.
int with_everything_written(int exit_code);

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
