// web: in a program of its own.
#include "cli/cluster/supervisor.h"
#include "cli/commands/execute.h"
#include "cli/lab_verbs.h"

namespace ontime::cli {

Result<ExitCode> execute(const WebCommand& command) {
  const auto path = sibling_program("ontime-web");
  return path ? become(*path, command.arguments) : path.error();
}

}  // namespace ontime::cli
