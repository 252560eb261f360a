#include "master/mounts/file_system.h"

#include <cerrno>
#include <cstring>

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

}  // namespace ontime::master
