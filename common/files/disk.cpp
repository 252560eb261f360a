#include "common/files/disk.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace ontime::files {
namespace {

int problem_of(int result) { return result == 0 ? 0 : errno; }

}  // namespace

Descriptor open(const Place& place, int flags, mode_t mode) {
  return Descriptor(::openat(place.directory, place.name, flags, mode));
}

int append(int file, std::string_view bytes) { return write_all(file, bytes); }

ssize_t copy(int from, off64_t* offset, int to, std::size_t bytes) {
  return ::copy_file_range(from, offset, to, nullptr, bytes, 0);
}

int truncate(int file, std::uint64_t size) { return problem_of(::ftruncate(file, static_cast<off_t>(size))); }

int sync(int file) { return problem_of(::fsync(file)); }
int sync_content(int file) { return problem_of(::fdatasync(file)); }

int rename(const Place& from, const Place& to) {
  return problem_of(::renameat(from.directory, from.name, to.directory, to.name));
}
int remove(const Place& place) { return problem_of(::unlinkat(place.directory, place.name, 0)); }
int remove_directory(const Place& place) { return problem_of(::unlinkat(place.directory, place.name, AT_REMOVEDIR)); }
int make_directory(const Place& place, mode_t mode) {
  return problem_of(::mkdirat(place.directory, place.name, mode));
}

}  // namespace ontime::files
