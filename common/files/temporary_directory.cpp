#include "common/files/temporary_directory.h"

#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/files/disk.h"
#include "common/files/file_system.h"

namespace ontime::files {
namespace {

constexpr const char* kLockName = "/lock";
constexpr mode_t kScratchMode = 0711;  // of what others may go through

// Neither a symbolic link nor somebody else's.
bool is_own_directory(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

// A directory without a lock file is one that is being made: left alone.
void remove_if_dead(const std::string& path) {
  if (!is_own_directory(path)) return;
  const Descriptor lock = open(path + kLockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock && flock(lock.get(), LOCK_EX | LOCK_NB) == 0) remove_all(path);
}

// The lock is taken before the file has its name: a lock file that can be seen and locked has lost its owner. If it
// fails, nothing and errno.
Descriptor make_lock(const std::string& directory) {
  const auto unnamed = directory + kLockName + ".new";
  Descriptor lock = open(unnamed, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
  errno = rename(unnamed, directory + kLockName);
  return errno == 0 ? std::move(lock) : Descriptor();
}

std::vector<std::string> entries_with_prefix(const std::string& parent, std::string_view prefix) {
  std::vector<std::string> found;
  DIR* directory = opendir(parent.c_str());
  if (directory == nullptr) return found;
  while (const dirent* entry = readdir(directory)) {
    if (std::string_view(entry->d_name).starts_with(prefix)) found.push_back(parent + "/" + entry->d_name);
  }
  closedir(directory);
  return found;
}

}  // namespace

std::string TemporaryDirectory::parent() {
  const char* configured = std::getenv("TMPDIR");
  return configured != nullptr && configured[0] == '/' ? configured : "/tmp";
}

void TemporaryDirectory::remove_left_overs(std::string_view prefix) {
  for (const auto& path : entries_with_prefix(parent(), prefix)) remove_if_dead(path);
}

Result<std::unique_ptr<TemporaryDirectory>> TemporaryDirectory::make(const std::string& below,
                                                                     std::string_view prefix) {
  std::string path = below + "/" + std::string(prefix) + "XXXXXX";
  const auto wrong = [&](const char* what) {
    return failed("cannot make a temporary " + std::string(what) + " '" + path + "': " + std::strerror(errno) +
                  (below == parent() ? "; set TMPDIR to a directory with room" : ""));
  };
  if (mkdtemp(path.data()) == nullptr) return wrong("directory");
  Descriptor lock = make_lock(path);
  if (!lock) {
    const auto error = wrong("lock in");
    remove_all(path);
    return error;
  }
  return std::unique_ptr<TemporaryDirectory>(new TemporaryDirectory(std::move(path), std::move(lock)));
}

Status TemporaryDirectory::restore() {
  if (is_own_directory(path_)) return {};
  const int problem = make_directory(path_, 0700);
  if (problem == 0) lock_ = make_lock(path_);
  if (problem == 0 && lock_) return {};
  return failed("the temporary directory '" + path_ +
                "' was removed and cannot be made again: " + std::strerror(problem != 0 ? problem : errno));
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!is_kept_) remove_all(path_);
}

Status Scratch::make() {
  if (directory_) {
    Status restored = directory_->restore();
    ::chmod(directory_->path().c_str(), kScratchMode);
    return restored;
  }
  auto made = TemporaryDirectory::make(TemporaryDirectory::parent(), prefix_);
  if (!made) return made.error();
  ::chmod((*made)->path().c_str(), kScratchMode);
  directory_ = std::move(*made);
  return {};
}

}  // namespace ontime::files
