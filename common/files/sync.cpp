#include "common/files/sync.h"

#include <cerrno>
#include <filesystem>

#include "common/files/disk.h"

namespace ontime::files {

int sync_file(const std::string& path) {
  const Descriptor file = open(path, O_RDONLY | O_CLOEXEC);
  return file ? sync_content(file.get()) : errno;
}

int sync_directory(const std::string& path) {
  const Descriptor directory = open(path, kDirectory);
  return directory ? sync(directory.get()) : errno;
}

void sync_names_above(const std::string& directory, const std::function<void()>& before_each) {
  for (std::filesystem::path at = directory; at.has_relative_path(); at = at.parent_path()) {
    if (before_each) before_each();
    static_cast<void>(sync_directory(at.parent_path()));
  }
}

}  // namespace ontime::files
