#include "tests/crash/disk_faults.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "common/base/descriptor.h"

namespace ontime::test::disk {
namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

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

bool is_ours(const std::string& path) {
  const std::string& below = settings().below;
  return !below.empty() && path.starts_with(below) && (path.size() == below.size() || path[below.size()] == '/');
}

std::string key_of(int directory, const char* name) {
  struct statx status {};
  const int flags = AT_SYMLINK_NOFOLLOW | (*name == '\0' ? AT_EMPTY_PATH : 0);
  if (::statx(directory, name, flags, STATX_INO | STATX_BTIME, &status) != 0) return "";
  return std::to_string(status.stx_ino) + "-" + std::to_string(status.stx_btime.tv_sec) + "-" +
         std::to_string(status.stx_btime.tv_nsec);
}

void write_whole(const std::string& path, std::string_view content) {
  const std::string temporary = path + "." + std::to_string(::gettid());
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file && write_all(file.get(), content) == 0) std::rename(temporary.c_str(), path.c_str());
}

std::string content_of(const std::string& path) {
  std::string content;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[65536];
  for (ssize_t got; file && (got = ::read(file.get(), buffer, sizeof buffer)) > 0;) {
    content.append(buffer, static_cast<std::size_t>(got));
  }
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

}  // namespace

bool fails(std::string_view op, const std::string& path) {
  static std::atomic<std::uint64_t> passed{0};
  const Settings& all = settings();
  if (all.error == 0 || (all.op != op && all.op != "any") || !is_ours(path)) return false;
  bool now = false;
  if (all.passing == 0) {
    now = ::access(all.file.c_str(), F_OK) == 0;
  } else if (passed.fetch_add(1) + 1 == all.passing) {
    now = Descriptor(::open(all.file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)).is_open();
  }
  if (now) errno = all.error;
  return now;
}

void keep(int descriptor) {
  const int saved = errno;
  const std::string& shadow = settings().shadow;
  const std::string path = path_of(descriptor);
  struct stat status {};
  if (!shadow.empty() && is_ours(path) && ::fstat(descriptor, &status) == 0) {
    const std::string place = shadow + "/" + key_of(descriptor, "");
    if (S_ISDIR(status.st_mode)) {
      write_whole(place + ".names", names_in(path));
    } else {
      write_whole(place, content_of("/proc/self/fd/" + std::to_string(descriptor)));
    }
  }
  errno = saved;
}

std::string path_of(int descriptor) {
  char target[4096];
  const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : "";
}

}  // namespace ontime::test::disk
