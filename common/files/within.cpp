#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "common/files/disk.h"
#include "common/files/roots.h"

namespace ontime::files {
namespace {

std::string name_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

Opened open_anywhere(const std::string& path, int flags) {
  const int descriptor = open(path, flags).release();
  return {descriptor, descriptor < 0 ? errno : 0, false};
}

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
  Descriptor file = open({directory, name}, O_RDONLY | kPlainFile);
  if (!file && errno != ELOOP && errno != ENXIO) {
    return failed(std::string("cannot be read: ") + std::strerror(errno));
  }
  struct stat status {};
  if (file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) return file.release();
  return failed("is no regular file");
}

Opened open_within(const Roots& roots, const std::string& path, int flags) {
  if (roots.are_everywhere()) return open_anywhere(path, flags);
  // A place without the right to use it: nothing happens to a device or pipe that lies there.
  const Descriptor place = open(path, O_PATH | O_CLOEXEC);
  if (!place) return {-1, errno, !roots.seem_to_hold(path)};
  const auto real = place_of(place.get());
  const bool is_inside = real && roots.hold(*real);
  return is_inside ? open_anywhere(name_of(place.get()), flags) : Opened{-1, 0, true};
}

}  // namespace ontime::files
