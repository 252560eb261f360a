#include "common/files/sync.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include "common/files/disk.h"

namespace ontime::files {

namespace {

constexpr std::size_t kSyncsAtOnce = 16;

// Shared by the threads of sync_files().
struct Syncing {
  int directory;
  std::span<const char* const> names;
  std::atomic<std::size_t> next = 0;
  std::atomic<int> problem = 0;

  bool sync_next() {
    const std::size_t index = next++;
    if (index >= names.size() || problem != 0) return false;
    const Descriptor file = open({directory, names[index]}, O_RDONLY | kPlainFile);
    const int found = file ? sync_content(file.get()) : errno;
    if (found != 0) problem = found;
    return found == 0;
  }
};

}  // namespace

int sync_files(int directory, std::span<const char* const> names, const std::function<void()>& before_each) {
  Syncing syncing{directory, names};
  {
    std::vector<std::jthread> helpers;
    try {
      while (helpers.size() + 1 < std::min(kSyncsAtOnce, names.size())) {
        helpers.emplace_back([&syncing] {
          while (syncing.sync_next()) continue;
        });
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: those that there are will do.
    }
    do {
      if (before_each) before_each();
    } while (syncing.sync_next());
  }
  return syncing.problem;
}

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
