// Preloaded into the programs (LD_PRELOAD): a disk that is full or broken, and one that tells what a power cut leaves.
//
//   ONTIME_DISK=DIR                only what lies below DIR, an absolute path
//   ONTIME_DISK_FAULT=OP:ERROR:N:MARK
//                                  the N-th OP of the first process to reach it fails with ERROR and MARK is made; once
//   ONTIME_DISK_FAULT=OP:ERROR:while:FILE
//                                  every OP fails as long as FILE exists
//       OP: write, sync, rename, create or any; ERROR: enospc or eio
//   ONTIME_DISK_SHADOW=DIR         whatever is synced is copied there: files as DIR/KEY, names of a directory as
//                                  DIR/KEY.names, one a line with its key and d or f (see power_cut.h)
//
// The key of a file or directory is its inode with the time it was made, since inodes are used again.
#include <sys/stat.h>
#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/crash/preload.h"

namespace {

using namespace ontime::test::preload;

// As the environment has it when the program starts.
struct Settings {
  std::string below = setting("ONTIME_DISK");
  std::string shadow = setting("ONTIME_DISK_SHADOW");
  std::string op;
  int error = 0;
  std::uint64_t passing = 0;  // 0: while `file` exists
  std::string file;

  Settings() {
    const std::string fault = setting("ONTIME_DISK_FAULT");
    const std::size_t first = fault.find(':');
    const std::size_t second = fault.find(':', first + 1);
    const std::size_t third = fault.find(':', second + 1);
    if (first == fault.npos || second == fault.npos || third == fault.npos) return;
    op = fault.substr(0, first);
    error = fault.substr(first + 1, second - first - 1) == "enospc" ? ENOSPC : EIO;
    passing = std::strtoull(fault.substr(second + 1, third - second - 1).c_str(), nullptr, 10);
    file = fault.substr(third + 1);
  }
};

// Never destroyed: threads write until the very end.
const Settings& settings() {
  static const Settings& all = *new Settings;
  return all;
}

std::string path_at(int directory, const char* name) {
  std::string path = name;
  if (name[0] == '/') return path;
  if (directory == AT_FDCWD) return std::filesystem::current_path().string() + "/" + path;
  return path_of(directory) + "/" + path;
}

bool is_ours(const std::string& path) {
  return !settings().below.empty() && is_at_or_below(path, settings().below);
}

// Not through this file's own open().
int open_real(const std::string& path, int flags) {
  static auto* const open_it = real<Open>("open");
  return open_it(path.c_str(), flags | O_CLOEXEC, 0644);
}

// True, with errno set: this one fails.
bool fails(std::string_view op, const std::string& path) {
  static std::atomic<std::uint64_t> passed{0};
  const Settings& all = settings();
  if (all.error == 0 || (all.op != op && all.op != "any") || !is_ours(path)) return false;
  bool now = false;
  if (all.passing == 0) {
    now = ::access(all.file.c_str(), F_OK) == 0;
  } else if (passed.fetch_add(1) + 1 == all.passing) {
    const int mark = open_real(all.file, O_WRONLY | O_CREAT | O_EXCL);
    now = mark >= 0;
    if (now) ::close(mark);
  }
  if (now) errno = all.error;
  return now;
}

std::string key_of(int directory, const char* name) {
  struct statx status {};
  const int flags = AT_SYMLINK_NOFOLLOW | (*name == '\0' ? AT_EMPTY_PATH : 0);
  if (::statx(directory, name, flags, STATX_INO | STATX_BTIME, &status) != 0) return "";
  return std::to_string(status.stx_ino) + "-" + std::to_string(status.stx_btime.tv_sec) + "-" +
         std::to_string(status.stx_btime.tv_nsec);
}

void write_whole(const std::string& path, std::string_view content) {
  static auto* const write_it = real<ssize_t(int, const void*, std::size_t)>("write");
  static auto* const rename_it = real<int(const char*, const char*)>("rename");
  const std::string temporary = path + "." + std::to_string(::gettid());
  const int file = open_real(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  if (file < 0) return;
  const bool whole = write_it(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  ::close(file);
  if (whole) rename_it(temporary.c_str(), path.c_str());
}

std::string content_of(const std::string& path) {
  std::string content;
  const int file = open_real(path, O_RDONLY);
  char buffer[65536];
  for (ssize_t got; file >= 0 && (got = ::read(file, buffer, sizeof buffer)) > 0;) {
    content.append(buffer, static_cast<std::size_t>(got));
  }
  if (file >= 0) ::close(file);
  return content;
}

std::string names_in(const std::string& directory) {
  std::string names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const char* const kind = at->is_directory(error) ? "\td\n" : "\tf\n";
    names += at->path().filename().string() + "\t" + key_of(AT_FDCWD, at->path().c_str()) + kind;
  }
  return names;
}

// The present state of what was just synced is what a power cut leaves of it.
void keep(int descriptor, const std::string& path) {
  struct stat status {};
  const std::string& shadow = settings().shadow;
  if (shadow.empty() || !is_ours(path) || ::fstat(descriptor, &status) != 0) return;
  const std::string place = shadow + "/" + key_of(descriptor, "");
  if (S_ISDIR(status.st_mode)) {
    write_whole(place + ".names", names_in(path));
  } else {
    write_whole(place, content_of("/proc/self/fd/" + std::to_string(descriptor)));
  }
}

template <class Call>
auto guarded(const char* op, const std::string& path, Call&& call) {
  return fails(op, path) ? static_cast<decltype(call())>(-1) : call();
}

// A program that is not told to touch any directory pays nothing.
bool is_idle() { return settings().below.empty(); }

int open_instead(int directory, const char* name, int flags, mode_t mode) {
  static auto* const open_it = real<OpenAt>("openat");
  const bool writes = (flags & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC)) != 0;
  if (!is_idle() && writes && fails("create", path_at(directory, name))) return -1;
  return open_it(directory, name, flags, mode);
}

template <class Real>
int sync_guarded(const char* name, int descriptor) {
  auto* const sync_it = real<Real>(name);
  const int saved = errno;
  const std::string path = is_idle() ? "" : path_of(descriptor);
  if (!is_idle() && fails("sync", path)) return -1;
  const int result = sync_it(descriptor);
  if (result == 0 && !is_idle()) {
    keep(descriptor, path);
    errno = saved;
  }
  return result;
}

}  // namespace

extern "C" {

ONTIME_PRELOAD_OPENS

ssize_t write(int descriptor, const void* data, size_t size) {
  static auto* const write_it = real<ssize_t(int, const void*, size_t)>("write");
  if (is_idle()) return write_it(descriptor, data, size);
  return guarded("write", path_of(descriptor), [&] { return write_it(descriptor, data, size); });
}

ssize_t writev(int descriptor, const iovec* pieces, int count) {
  static auto* const write_it = real<ssize_t(int, const iovec*, int)>("writev");
  if (is_idle()) return write_it(descriptor, pieces, count);
  return guarded("write", path_of(descriptor), [&] { return write_it(descriptor, pieces, count); });
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t offset) {
  static auto* const write_it = real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  if (is_idle()) return write_it(descriptor, data, size, offset);
  return guarded("write", path_of(descriptor), [&] { return write_it(descriptor, data, size, offset); });
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  return pwrite64(descriptor, data, size, offset);
}

ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t size, unsigned flags) {
  static auto* const copy_it = real<ssize_t(int, off64_t*, int, off64_t*, size_t, unsigned)>("copy_file_range");
  if (is_idle()) return copy_it(from, from_at, to, to_at, size, flags);
  return guarded("write", path_of(to), [&] { return copy_it(from, from_at, to, to_at, size, flags); });
}

int fsync(int descriptor) { return sync_guarded<int(int)>("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_guarded<int(int)>("fdatasync", descriptor); }

int rename(const char* from, const char* to) {
  static auto* const rename_it = real<int(const char*, const char*)>("rename");
  if (is_idle()) return rename_it(from, to);
  return guarded("rename", path_at(AT_FDCWD, to), [&] { return rename_it(from, to); });
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) {
  static auto* const rename_it = real<int(int, const char*, int, const char*)>("renameat");
  if (is_idle()) return rename_it(from_directory, from, to_directory, to);
  return guarded("rename", path_at(to_directory, to),
                 [&] { return rename_it(from_directory, from, to_directory, to); });
}

int mkdirat(int directory, const char* path, mode_t mode) {
  static auto* const make_it = real<int(int, const char*, mode_t)>("mkdirat");
  if (is_idle()) return make_it(directory, path, mode);
  return guarded("create", path_at(directory, path), [&] { return make_it(directory, path, mode); });
}

int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

}  // extern "C"
