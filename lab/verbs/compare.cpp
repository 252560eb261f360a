#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/result/part_file.h"
#include "lab/verbs/command.h"
#include "lab/verbs/python.h"

namespace ontime::lab {

using namespace cli;
namespace {

constexpr const char* kJobs = "jobs.csv";

}  // namespace

Result<ExitCode> execute(const CompareCommand& command) {
  std::vector<std::string> arguments{"compare"};
  std::vector<std::shared_ptr<const LocalOutput>> fetched;  // from a store, until they are compared
  for (const std::string& directory : {command.before, command.after}) {
    const auto local = LocalOutput::with_file(directory, kJobs);
    if (!local) return local.error();
    const std::string path = (*local)->directory() + "/" + kJobs;
    std::error_code error;
    if (!std::filesystem::exists(path, error))
      return bad_input("'" + directory + "' holds no finished experiment: there is no " + kJobs);
    arguments.push_back(path);
    fetched.push_back(*local);
  }
  if (command.json) arguments.emplace_back("--json");
  return run_python(arguments);
}

}  // namespace ontime::lab
