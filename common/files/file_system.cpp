#include "common/files/file_system.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ontime::files {

Error system_error(std::string_view what, const std::string& path, int problem) {
  return failed("Cannot " + std::string(what) + " '" + path + "': " + std::strerror(problem) + ".");
}

int write_at(int file, std::uint64_t offset, std::string_view bytes) {
  return ::lseek(file, static_cast<off_t>(offset), SEEK_SET) < 0 ? errno : append(file, bytes);
}

Status write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  const Descriptor file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  const int problem = file ? append(file.get(), bytes) : errno;
  return problem == 0 ? Status() : system_error("write", path, problem);
}

Status replace_file(const std::string& path, const std::string& unfinished, std::string_view bytes, mode_t mode) {
  static_cast<void>(remove(unfinished));  // what an earlier try has left may have another mode
  const Descriptor file = open(unfinished, kNewFile, mode);
  if (!file) return system_error("create", unfinished, errno);
  int problem = ::fchmod(file.get(), mode) == 0 ? append(file.get(), bytes) : errno;
  if (problem == 0) problem = sync(file.get());
  if (problem == 0) problem = rename(unfinished, path);
  return problem == 0 ? Status() : system_error("write", path, problem);
}

int make_directories(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path directory(path);
  if (fs::is_directory(directory, ignored)) return 0;
  if (directory.has_relative_path() && directory.has_parent_path()) {
    if (const int problem = make_directories(directory.parent_path().string()); problem != 0) return problem;
  }
  const int problem = make_directory(path);
  if (problem != EEXIST) return problem;
  return fs::is_directory(directory, ignored) ? 0 : ENOTDIR;  // somebody else has just made it, or a file
}

}  // namespace ontime::files
