#include "common/base/python.h"

#include <filesystem>

#include "common/base/environment.h"
#include "common/base/program_path.h"

namespace ontime {

namespace fs = std::filesystem;

namespace {

std::string python_path() {
  std::string before = environment_variable("PYTHONPATH");
  const fs::path folder = program_path().parent_path();
  std::error_code error;
  for (const fs::path& prefix : {folder.parent_path(), folder.parent_path().parent_path()}) {
    const fs::path found = prefix / "share" / "ontime" / "python";
    if (fs::exists(found, error)) return found.string() + (before.empty() ? "" : ":" + before);
  }
  return before;
}

}  // namespace

std::vector<std::string> python_environment() { return {"PYTHONPATH=" + python_path(), "PYTHONSAFEPATH=1"}; }

std::vector<std::string> python_interpreters() {
  const std::string chosen = environment_variable("ONTIME_PYTHON");
  if (!chosen.empty()) return {chosen};
  return {"python3", "/usr/bin/python3"};
}

}  // namespace ontime
