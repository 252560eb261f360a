// The functions of common/files/disk.h on a disk with faults.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "common/files/disk.h"
#include "tests/crash/disk_faults.h"

namespace ontime::files {
namespace {

using test::disk::fails;
using test::disk::path_of;

int problem_of(int result) { return result == 0 ? 0 : errno; }

// Where it is, absolute. The master names an output directory by the descriptor that holds it.
std::string path_at(const Place& place) {
  constexpr std::string_view kHeld = "/proc/self/fd/";
  const std::string name = place.name;
  if (name.starts_with(kHeld)) {
    char* rest = nullptr;
    const auto held = static_cast<int>(std::strtol(name.c_str() + kHeld.size(), &rest, 10));
    return path_of(held) + rest;
  }
  if (name.starts_with('/')) return name;
  if (place.directory == AT_FDCWD) return std::filesystem::current_path().string() + "/" + name;
  return path_of(place.directory) + "/" + name;
}

int kept(int file, int result) {
  if (result == 0) test::disk::keep(file);
  return problem_of(result);
}

}  // namespace

Descriptor open(const Place& place, int flags, mode_t mode) {
  const bool writes = (flags & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC)) != 0;
  if (writes && fails("create", path_at(place))) return Descriptor();
  return Descriptor(::openat(place.directory, place.name, flags, mode));
}

int append(int file, std::string_view bytes) {
  return fails("write", path_of(file)) ? errno : write_all(file, bytes);
}

ssize_t copy(int from, off64_t* offset, int to, std::size_t bytes) {
  return fails("write", path_of(to)) ? -1 : ::copy_file_range(from, offset, to, nullptr, bytes, 0);
}

int truncate(int file, std::uint64_t size) { return problem_of(::ftruncate(file, static_cast<off_t>(size))); }

int sync(int file) { return fails("sync", path_of(file)) ? errno : kept(file, ::fsync(file)); }
int sync_content(int file) { return fails("sync", path_of(file)) ? errno : kept(file, ::fdatasync(file)); }

int rename(const Place& from, const Place& to) {
  if (fails("rename", path_at(to))) return errno;
  return problem_of(::renameat(from.directory, from.name, to.directory, to.name));
}

int remove(const Place& place) { return problem_of(::unlinkat(place.directory, place.name, 0)); }
int remove_directory(const Place& place) { return problem_of(::unlinkat(place.directory, place.name, AT_REMOVEDIR)); }

int make_directory(const Place& place, mode_t mode) {
  if (fails("create", path_at(place))) return errno;
  return problem_of(::mkdirat(place.directory, place.name, mode));
}

}  // namespace ontime::files
