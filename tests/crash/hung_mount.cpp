// Preloaded into the master (LD_PRELOAD): mounts that hang, without a mount.
//
//   ONTIME_HUNG=DIR:DIR...         what names a path at or below one of them, or syncs it, does not return
//   ONTIME_HUNG_WHILE=FILE         as long as FILE exists; FILE.reached is made when something hangs
//   ONTIME_HUNG_MOUNTINFO=FILE     is read in the place of /proc/self/mountinfo
#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/crash/preload.h"

namespace {

using namespace ontime::test::preload;

// As the environment has it when the program starts. Never destroyed: threads hang until the very end.
struct Settings {
  std::vector<std::string> hung;
  std::string hung_while = setting("ONTIME_HUNG_WHILE");
  std::string mountinfo = setting("ONTIME_HUNG_MOUNTINFO");

  Settings() {
    std::string all = setting("ONTIME_HUNG");
    for (std::size_t end = 0; !all.empty(); all.erase(0, end == all.npos ? all.size() : end + 1)) {
      end = all.find(':');
      hung.push_back(all.substr(0, end));
    }
  }
};

const Settings& settings() {
  static const Settings& all = *new Settings;
  return all;
}

bool hangs(const std::string& path) {
  const std::vector<std::string>& hung = settings().hung;
  return std::any_of(hung.begin(), hung.end(), [&](const auto& directory) { return is_at_or_below(path, directory); });
}

bool is_time_to_hang() { return ::access(settings().hung_while.c_str(), F_OK) == 0; }

// Returns when the path's mount answers.
void pass(const std::string& path) {
  const int saved = errno;
  if (hangs(path) && is_time_to_hang()) {
    static auto* const open_it = real<Open>("open");
    ::close(open_it((settings().hung_while + ".reached").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    while (is_time_to_hang()) ::usleep(10'000);
  }
  errno = saved;
}

void pass(int directory, const char* name) {
  if (settings().hung.empty() || name == nullptr) return;
  const bool is_below = name[0] != '/' && directory != AT_FDCWD;
  pass(is_below ? path_of(directory) + "/" + name : name);
}

int open_instead(int directory, const char* path, int flags, mode_t mode) {
  pass(directory, path);
  static auto* const call = real<OpenAt>("openat");
  return call(directory, path, flags, mode);
}

}  // namespace

#define ONTIME_STAT(NAME, TYPE)                                            \
  int NAME(const char* path, TYPE* status) noexcept {                      \
    pass(AT_FDCWD, path);                                                  \
    static auto* const call = real<int(const char*, TYPE*)>(#NAME);        \
    return call(path, status);                                             \
  }
#define ONTIME_FOPEN(NAME)                                                                 \
  FILE* NAME(const char* path, const char* mode) {                                         \
    const bool is_table = std::strcmp(path, "/proc/self/mountinfo") == 0;                  \
    const char* const named = is_table && !settings().mountinfo.empty() ? settings().mountinfo.c_str() : path; \
    pass(AT_FDCWD, named);                                                                 \
    static auto* const call = real<FILE*(const char*, const char*)>(#NAME);                \
    return call(named, mode);                                                              \
  }

extern "C" {

ONTIME_PRELOAD_OPENS
ONTIME_STAT(stat, struct stat)
ONTIME_STAT(lstat, struct stat)
ONTIME_STAT(stat64, struct stat64)
ONTIME_STAT(lstat64, struct stat64)
ONTIME_FOPEN(fopen)
ONTIME_FOPEN(fopen64)

int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  pass(directory, path);
  static auto* const call = real<int(int, const char*, struct stat*, int)>("fstatat");
  return call(directory, path, status, flags);
}

int fsync(int descriptor) {
  if (!settings().hung.empty()) pass(path_of(descriptor));
  static auto* const call = real<int(int)>("fsync");
  return call(descriptor);
}

int fdatasync(int descriptor) {
  if (!settings().hung.empty()) pass(path_of(descriptor));
  static auto* const call = real<int(int)>("fdatasync");
  return call(descriptor);
}

int mkdir(const char* path, mode_t mode) noexcept {
  pass(AT_FDCWD, path);
  static auto* const call = real<int(const char*, mode_t)>("mkdir");
  return call(path, mode);
}

int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  pass(directory, path);
  static auto* const call = real<int(int, const char*, mode_t)>("mkdirat");
  return call(directory, path, mode);
}

ssize_t readlink(const char* path, char* target, size_t size) noexcept {
  pass(AT_FDCWD, path);
  static auto* const call = real<ssize_t(const char*, char*, size_t)>("readlink");
  return call(path, target, size);
}

DIR* opendir(const char* path) {
  pass(AT_FDCWD, path);
  static auto* const call = real<DIR*(const char*)>("opendir");
  return call(path);
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  pass(to_directory, to);
  static auto* const call = real<int(int, const char*, int, const char*)>("renameat");
  return call(from_directory, from, to_directory, to);
}

}  // extern "C"
