// The command line of Ontime: parses, carries out, says what went wrong.
#include "cli/command_line.h"
#include "cli/commands/execute.h"
#include "cli/lab_verbs.h"
#include "common/flags/flags.h"

int main(int argc, char** argv) {
  using namespace ontime::cli;
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  if (const ontime::Status status = apply_user_config(); !status) return report_error("", status.error());
  if (const LabVerb* verb = lab_verb_of(arguments)) return report_error(verb->name, become_lab(*verb, arguments));
  return ontime::flags::with_everything_written("ontime", carry_out(parse_command_line(arguments)));
}
