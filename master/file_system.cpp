#include "master/file_system.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "common/files/sync.h"

namespace ontime::master {

Error system_error(const char* what, const std::string& path, int problem) {
  const char* advice = problem == ENOSPC || problem == EDQUOT ? "; make room and submit the job again" : "";
  return failed("Cannot " + std::string(what) + " '" + path + "': " + std::strerror(problem) + advice + ".");
}

Status sync_directory(const std::string& path) {
  note_progress();
  const int problem = files::sync_directory(path);
  return problem == 0 ? Status() : system_error("sync the directory", path, problem);
}

Status remove_tree(const std::string& path) {
  constexpr int kTries = 10;
  std::error_code error;
  for (int i = 0; i < kTries; ++i) {
    note_progress();
    std::filesystem::remove_all(path, error);
    if (error != std::errc::directory_not_empty) break;
  }
  if (error) return system_error("remove", path, error.value());
  return {};
}

}  // namespace ontime::master
