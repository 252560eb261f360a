// The command line of Ontime: parses, carries out, says what went wrong.
#include <fcntl.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/commands/execute.h"
#include "cli/lab_verbs.h"
#include "common/files/disk.h"
#include "common/flags/everything_written.h"

namespace {

// Or files that are opened later take their places. Reading from a standard input that is closed stays an error, and
// writing to a closed output.
void fill_closed_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(standard, F_GETFD) >= 0) continue;
    const bool is_input = standard == STDIN_FILENO;
    ontime::files::open("/dev/null", is_input ? O_WRONLY : O_RDONLY).release();  // the lowest that is free
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ontime::cli;
  fill_closed_descriptors();
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  if (const ontime::Status status = apply_user_config(); !status) return report_error("", status.error());
  if (const LabVerb* verb = lab_verb_of(arguments)) return report_error(verb->name, become_lab(*verb, arguments));
  return ontime::flags::with_everything_written("ontime", carry_out(parse_command_line(arguments)));
}
