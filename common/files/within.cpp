#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "common/files/roots.h"

namespace ontime::files {
namespace {

std::string name_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

Opened as_opened(int descriptor) { return {descriptor, descriptor < 0 ? errno : 0, false}; }

}  // namespace

std::optional<std::string> place_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || status.st_nlink == 0) return std::nullopt;
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink(name_of(descriptor).c_str(), path.data(), path.size());
  if (size <= 0 || static_cast<std::size_t>(size) == path.size() || path.front() != '/') return std::nullopt;
  path.resize(static_cast<std::size_t>(size));
  return path;
}

Result<int> open_regular(int directory, const std::string& name) {
  const int file = ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno != ELOOP && errno != ENXIO) {
    return failed(std::string("cannot be read: ") + std::strerror(errno));
  }
  struct stat status {};
  if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
  if (file >= 0) ::close(file);
  return failed("is no regular file");
}

Opened open_within(const Roots& roots, const std::string& path, int flags) {
  if (roots.are_everywhere()) return as_opened(::open(path.c_str(), flags));
  // A place without the right to use it: nothing happens to a device or pipe that lies there.
  const int place = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return {-1, errno, !roots.seem_to_hold(path)};
  const auto real = place_of(place);
  const bool is_inside = real && roots.hold(*real);
  const Opened opened = is_inside ? as_opened(::open(name_of(place).c_str(), flags)) : Opened{-1, 0, true};
  ::close(place);
  return opened;
}

}  // namespace ontime::files
