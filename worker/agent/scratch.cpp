#include "worker/agent/scratch.h"

#include <sys/stat.h>

#include <filesystem>
#include <utility>

namespace ontime::worker {

Status Scratch::make() {
  if (directory_) return {};
  files::TemporaryDirectory::remove_left_overs(prefix_);
  auto made = files::TemporaryDirectory::make(files::TemporaryDirectory::parent(), prefix_);
  if (!made) return made.error();
  ::chmod((*made)->path().c_str(), 0711);
  directory_ = std::move(*made);
  return {};
}

void remove_all(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace ontime::worker
