#include "common/base/version.h"

#include <fstream>

#include "common/base/program_path.h"

namespace ontime {
namespace {

// cmake/write-commit writes it beside the programs. Compiled in, it would link every program and repeat every test
// after each commit.
std::string commit() {
  std::ifstream file(program_path().parent_path().parent_path() / "lib/ontime/commit");
  std::string text;
  return std::getline(file, text) ? text : "not known, because this was made outside of a git checkout";
}

}  // namespace

std::string version_of(const std::string& program) {
  return program + " " ONTIME_VERSION "\nCommit: " + commit() + "\nCompiler: " ONTIME_COMPILER
         "\nLibraries: " ONTIME_LIBRARIES;
}

}  // namespace ontime
