#include "common/files/sync.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>

#include "common/base/descriptor.h"
#include "common/base/threads.h"
#include "common/files/disk.h"

namespace ontime::files {

namespace {

constexpr std::size_t kSyncsAtOnce = 64;

// Each has a file open, and others may want some too.
std::size_t syncs_at_once(std::size_t files) {
  const std::uint64_t descriptors = raise_descriptor_limit(0);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(descriptors / 4, 1, std::min(kSyncsAtOnce, files)));
}

// Shared by the threads of one call.
struct Syncing {
  int directory;
  std::span<const char* const> names;
  bool are_directories;  // whose problems do not count
  std::atomic<std::size_t> next = 0;
  std::atomic<int> problem = 0;

  bool sync_next() {
    const std::size_t index = next++;
    if (index >= names.size() || problem != 0) return false;
    if (are_directories) {
      static_cast<void>(sync_directory(names[index]));
    } else if (const int found = sync_plain_file(names[index]); found != 0) {
      problem = found;
    }
    return problem == 0;
  }

 private:
  int sync_plain_file(const char* name) const {
    const Descriptor file = open({directory, name}, O_RDONLY | kPlainFile);
    return file ? sync_content(file.get()) : errno;
  }
};

int sync_all(Syncing& syncing, const std::function<void()>& before_each) {
  {
    const auto helpers = start_helpers(syncs_at_once(std::max<std::size_t>(syncing.names.size(), 1)) - 1, [&] {
      while (syncing.sync_next()) continue;
    });
    do {
      if (before_each) before_each();
    } while (syncing.sync_next());
  }
  return syncing.problem;
}

}  // namespace

int sync_files(int directory, std::span<const char* const> names, const std::function<void()>& before_each) {
  Syncing syncing{directory, names, false};
  return sync_all(syncing, before_each);
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
  std::vector<std::string> above;
  for (std::filesystem::path at = directory; at.has_relative_path(); at = at.parent_path())
    above.push_back(at.parent_path().string());
  std::vector<const char*> names;
  for (const std::string& name : above) names.push_back(name.c_str());
  Syncing syncing{AT_FDCWD, names, true};
  static_cast<void>(sync_all(syncing, before_each));
}

}  // namespace ontime::files
