#include <string>
#include <vector>

#include "common/files/temporary_directory.h"
#include "lab/verbs/command.h"
#include "lab/verbs/python.h"

namespace ontime::lab {

using namespace cli;
namespace {

// Under the policy that ran, which the scenario names.
Result<ExitCode> check_import(const ImportCommand& command) {
  const auto scratch = files::TemporaryDirectory::make();
  if (!scratch) return scratch.error();
  SimulateCommand simulate;
  simulate.scenarios = {command.out + ".yaml"};
  simulate.out = (*scratch)->path();
  simulate.is_silent = true;
  auto simulated = execute(simulate);
  if (!simulated || *simulated != ExitCode::Done) return simulated;
  std::vector<std::string> arguments{"check_import", command.out, simulate.out + "/jobs.csv"};
  if (command.json) arguments.emplace_back("--json");
  return run_python(arguments);
}

}  // namespace

Result<ExitCode> execute(const ImportCommand& command) {
  std::vector<std::string> arguments{"import", command.format, command.out, command.copies};
  arguments.insert(arguments.end(), command.files.begin(), command.files.end());
  if (command.json && !command.check) arguments.emplace_back("--json");
  auto imported = run_python(arguments);
  if (!imported || *imported != ExitCode::Done || !command.check) return imported;
  return check_import(command);
}

}  // namespace ontime::lab
