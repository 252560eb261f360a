#include "worker/agent/scratch_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ontime::worker {

ScratchDirectory::~ScratchDirectory() {
  if (!path_.empty()) remove_all_of(path_);
}

Status ScratchDirectory::make() {
  if (!path_.empty()) return {};
  const char* configured = std::getenv("TMPDIR");
  std::string path =
      std::string(configured != nullptr && configured[0] == '/' ? configured : "/tmp") + "/" + name_ + "-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr || ::chmod(path.c_str(), 0711) != 0)
    return failed("cannot make the directory '" + path + "': " + std::strerror(errno));
  path_ = path;
  return {};
}

void remove_all_of(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace ontime::worker
