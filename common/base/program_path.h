#pragma once
// Where the program that runs here lies: what belongs to it is installed beside it.

#include <filesystem>
#include <system_error>

namespace ontime {

// Empty if the system does not tell.
inline std::filesystem::path program_path() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

}  // namespace ontime
