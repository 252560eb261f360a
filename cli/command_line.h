#pragma once
// Turns argv into a Command, and a Command into an exit code: what the main functions of ontime and ontime-lab share.
// Parsing reads the environment ($ONTIME_MASTER, the user's file of settings) and the number of cores, nothing else.

#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"
#include "common/base/result.h"

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

// Sets the environment variables that the user's file gives as lines NAME=VALUE: for `token-file` the variable
// ONTIME_TOKEN_FILE, unless the caller has set it. So a flag comes before the environment, and the environment before
// the file. The file is $ONTIME_CONFIG, else $XDG_CONFIG_HOME/ontime/config, else ~/.config/ontime/config. Empty lines
// and lines that begin with # are skipped. BadInput names a wrong line. REQUIRES: no other thread.
Status apply_user_config();

// The directory in which the masters of `ontime run` share access points. It is in $ONTIME_CACHE_DIR, else in
// $XDG_CACHE_HOME/ontime, else in ~/.cache/ontime, which this makes. Empty, and nothing is shared, if ONTIME_CACHE_DIR
// is empty, if the user has no home, or if the directory cannot be made.
std::string prepare_access_points();

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
