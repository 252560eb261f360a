#include "common/base/version.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace ontime {
namespace {

// scripts/package writes it beside the programs. Compiled in, it would link every program and repeat every test after
// each commit.
std::string commit() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::ifstream file(program.parent_path().parent_path() / "lib/ontime/commit");
  std::string text;
  return std::getline(file, text) ? text : "not known, because this program comes from no package";
}

}  // namespace

std::string version_of(const std::string& program) {
  return program + " " ONTIME_VERSION "\nCommit: " + commit() + "\nCompiler: " ONTIME_COMPILER
         "\nLibraries: " ONTIME_LIBRARIES;
}

}  // namespace ontime
