// Calls on paths and directories.
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "tests/machines/calls.h"

namespace ontime::lab::machines {
namespace {

// What opendir() gives. The names are those at the time.
struct Listing {
  int descriptor = -1;
  std::vector<std::pair<std::string, InodePointer>> entries;
  std::size_t next = 0;
  dirent current{};
};

// A program holds them as DIR*; the C library's own are told apart by not being here.
std::set<void*>& listings() {
  static auto& all = *new std::set<void*>;
  return all;
}

// Streams of the C library over simulated files, and the descriptors of those.
std::map<FILE*, int>& streams() {
  static auto& all = *new std::map<FILE*, int>;
  return all;
}

int state_of(Thread& here, int directory, const char* path, struct stat* to, bool follows) {
  const FoundPath place = find_place(here.process(), directory, path, follows);
  if (place.error != 0) return given(place.error);
  if (!place.real.empty())
    return static_cast<int>(::syscall(follows ? 4 : 6 /* stat, lstat */, place.real.c_str(), to));
  if (place.special) {
    *to = {};
    to->st_mode = S_IFCHR | 0666;
    return 0;
  }
  if (!place.inode) return given(-ENOENT);
  if (const int error = work_on(here, *place.inode->disk, DiskWork::Look); error != 0) return given(error);
  fill_stat(*place.inode, *to);
  return 0;
}

int check_access(Thread& here, const char* path) {
  struct stat ignored;
  return state_of(here, AT_FDCWD, path, &ignored, true);
}

int make_directory(Thread& here, int directory, const char* path, mode_t mode) {
  const FoundPath place = find_place(here.process(), directory, path, false);
  if (place.error != 0) return given(place.error);
  if (place.inode) return given(-EEXIST);
  if (!place.directory) return given(-ENOENT);
  int error = work_on(here, *place.directory->disk, DiskWork::Change);
  if (error != 0) return given(error);
  place.directory->disk->make(place.directory, place.name, S_IFDIR | (mode & 0777), error);
  return given(error);
}

int remove(Thread& here, int directory, const char* path, bool is_directory) {
  const FoundPath place = find_place(here.process(), directory, path, false);
  if (place.error != 0) return given(place.error);
  if (!place.inode) return given(-ENOENT);
  if (!place.directory) return given(-EBUSY);
  if (const int error = work_on(here, *place.directory->disk, DiskWork::Remove); error != 0) return given(error);
  return given(place.directory->disk->remove(place.directory, place.name, is_directory));
}

int rename(Thread& here, int from, const char* path, int to, const char* new_path) {
  const FoundPath old = find_place(here.process(), from, path, false);
  if (old.error != 0) return given(old.error);
  if (!old.directory || !old.inode) return given(-ENOENT);
  if (const int error = work_on(here, *old.directory->disk, DiskWork::Remove); error != 0) return given(error);
  const FoundPath place = find_place(here.process(), to, new_path, false);
  if (place.error != 0) return given(place.error);
  if (!place.directory) return given(-ENOENT);
  if (place.directory->disk != old.directory->disk) return given(-EXDEV);
  return given(old.directory->disk->rename(old.directory, old.name, place.directory, place.name));
}

DIR* list(Thread& here, int descriptor) {
  const auto file = file_at<DiskFile>(here, descriptor);
  if (!file || !file->inode->is_directory()) {
    errno = file ? ENOTDIR : EBADF;
    return nullptr;
  }
  if (const int error = work_on(here, *file->inode->disk, DiskWork::Look); error != 0) {
    errno = -error;
    return nullptr;
  }
  auto* const listing = new Listing;
  listing->descriptor = descriptor;
  for (const auto& [name, inode] : file->inode->entries) listing->entries.emplace_back(name, inode);
  listings().insert(listing);
  return reinterpret_cast<DIR*>(listing);
}

dirent* next_of(Listing& listing) {
  if (listing.next == listing.entries.size()) return nullptr;
  const auto& [name, inode] = listing.entries[listing.next++];
  listing.current.d_ino = inode->number;
  listing.current.d_type = static_cast<unsigned char>(IFTODT(inode->mode));
  std::strncpy(listing.current.d_name, name.c_str(), sizeof listing.current.d_name - 1);
  return &listing.current;
}

int flags_of(std::string_view mode) {
  const bool updates = mode.find('+') != mode.npos;
  if (mode.starts_with('r')) return updates ? O_RDWR : O_RDONLY;
  return (updates ? O_RDWR : O_WRONLY) | O_CREAT | (mode.starts_with('a') ? O_APPEND : O_TRUNC);
}

int descriptor_of(void* cookie) { return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie)); }

// The bytes go through the simulated calls; the buffer is the C library's.
FILE* stream_over(int descriptor, const char* mode) {
  cookie_io_functions_t functions{};
  functions.read = [](void* cookie, char* to, std::size_t size) { return ::read(descriptor_of(cookie), to, size); };
  functions.write = [](void* cookie, const char* from, std::size_t size) {
    return ::write(descriptor_of(cookie), from, size);
  };
  functions.seek = [](void* cookie, off64_t* offset, int from) {
    *offset = ::lseek64(descriptor_of(cookie), *offset, from);
    return *offset < 0 ? -1 : 0;
  };
  FILE* const stream = ::fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), mode, functions);
  streams().emplace(stream, descriptor);
  return stream;
}

}  // namespace
}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

#define ONTIME_STATE_CALL(name, follows)                                      \
  ONTIME_SIMULATE(int, name, (path, to), const char* path, struct stat* to) { \
    return state_of(here, AT_FDCWD, path, to, follows);                       \
  }
ONTIME_STATE_CALL(stat, true)
ONTIME_STATE_CALL(stat64, true)
ONTIME_STATE_CALL(lstat, false)
ONTIME_STATE_CALL(lstat64, false)

ONTIME_SIMULATE(int, fstatat, (directory, path, to, flags), int directory, const char* path, struct stat* to,
                int flags) {
  return state_of(here, directory, path, to, (flags & AT_SYMLINK_NOFOLLOW) == 0);
}

ONTIME_SIMULATE(int, faccessat, (directory, path, how, flags), int directory, const char* path, int how, int flags) {
  struct stat state {};
  return state_of(here, directory, path, &state, (flags & AT_SYMLINK_NOFOLLOW) == 0);
}

ONTIME_SIMULATE(int, access, (path, how), const char* path, int how) { return check_access(here, path); }

ONTIME_SIMULATE(int, mkdir, (path, mode), const char* path, mode_t mode) {
  return make_directory(here, AT_FDCWD, path, mode);
}

ONTIME_SIMULATE(int, mkdirat, (directory, path, mode), int directory, const char* path, mode_t mode) {
  return make_directory(here, directory, path, mode);
}

// Names are drawn until one is free, in place of the last six letters.
ONTIME_SIMULATE(char*, mkdtemp, (name), char* name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  do {
    for (char* letter = name + std::strlen(name) - 6; *letter != 0; ++letter)
      *letter = kLetters[here.world().random().below(kLetters.size())];
    if (make_directory(here, AT_FDCWD, name, 0700) == 0) return name;
  } while (errno == EEXIST);
  return nullptr;
}

ONTIME_SIMULATE(int, rmdir, (path), const char* path) { return remove(here, AT_FDCWD, path, true); }
ONTIME_SIMULATE(int, unlink, (path), const char* path) { return remove(here, AT_FDCWD, path, false); }

ONTIME_SIMULATE(int, unlinkat, (directory, path, flags), int directory, const char* path, int flags) {
  return remove(here, directory, path, (flags & AT_REMOVEDIR) != 0);
}

ONTIME_SIMULATE(int, remove, (path), const char* path) {
  const FoundPath place = find_place(here.process(), AT_FDCWD, path, false);
  return remove(here, AT_FDCWD, path, place.inode && place.inode->is_directory());
}

ONTIME_SIMULATE(int, rename, (from, to), const char* from, const char* to) {
  return rename(here, AT_FDCWD, from, AT_FDCWD, to);
}

ONTIME_SIMULATE(int, renameat, (from, path, to, new_path), int from, const char* path, int to, const char* new_path) {
  return rename(here, from, path, to, new_path);
}

ONTIME_SIMULATE(int, link, (from, to), const char* from, const char* to) {
  const FoundPath old = find_place(here.process(), AT_FDCWD, from, false);
  const FoundPath place = find_place(here.process(), AT_FDCWD, to, false);
  if (!old.inode || !place.directory) return given(-ENOENT);
  return given(old.inode->disk->link(old.inode, place.directory, place.name));
}

ONTIME_SIMULATE(ssize_t, readlink, (path, to, size), const char* path, char* to, std::size_t size) {
  const std::string_view text = path;
  std::string target;
  if (text.starts_with("/proc/self/fd/") && text.find('/', 14) == text.npos) {
    const auto file = std::dynamic_pointer_cast<DiskFile>(here.process().at(std::atoi(path + 14)));
    if (!file) return given<ssize_t>(-ENOENT);
    target = path_of(*file->inode);
  } else {
    const FoundPath place = find_place(here.process(), AT_FDCWD, path, false);
    if (place.error != 0) return given<ssize_t>(place.error);
    if (!place.real.empty()) return given<ssize_t>(-EINVAL);
    if (!place.inode) return given<ssize_t>(-ENOENT);
    if (!place.inode->is_link()) return given<ssize_t>(-EINVAL);
    target = place.inode->bytes;
  }
  const std::size_t count = std::min(size, target.size());
  std::memcpy(to, target.data(), count);
  return static_cast<ssize_t>(count);
}

ONTIME_SIMULATE(char*, realpath, (path, to), const char* path, char* to) {
  const FoundPath place = find_place(here.process(), AT_FDCWD, path, true);
  if (place.error != 0 || (place.real.empty() && !place.inode)) {
    errno = place.error != 0 ? -place.error : ENOENT;
    return nullptr;
  }
  const std::string found = place.real.empty() ? path_of(*place.inode) : place.real;
  if (to == nullptr) return ::strdup(found.c_str());
  std::memcpy(to, found.c_str(), found.size() + 1);
  return to;
}

// There is one user, who may do everything.
ONTIME_SIMULATE(int, chmod, (path, mode), const char* path, mode_t mode) { return check_access(here, path); }
ONTIME_SIMULATE(int, chown, (path, owner, group), const char* path, uid_t owner, gid_t group) {
  return check_access(here, path);
}

ONTIME_SIMULATE(int, fchmodat, (directory, path, mode, flags), int directory, const char* path, mode_t mode,
                int flags) {
  return check_access(here, path);
}

ONTIME_SIMULATE(int, fchmod, (descriptor, mode), int descriptor, mode_t mode) {
  return given(here.process().at(descriptor) ? 0 : -EBADF);
}

ONTIME_SIMULATE(int, statvfs, (path, to), const char* path, struct statvfs* to) {
  *to = {};
  to->f_bsize = to->f_frsize = 4096;
  to->f_blocks = to->f_bfree = to->f_bavail = 1u << 28;
  return 0;
}

ONTIME_SIMULATE(DIR*, opendir, (path), const char* path) {
  const FoundPath place = find_place(here.process(), AT_FDCWD, path, true);
  if (!place.real.empty()) return ONTIME_REAL(opendir)(path);
  const int descriptor = open_place(here, place, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  return descriptor < 0 ? nullptr : list(here, descriptor);
}

ONTIME_SIMULATE(DIR*, fdopendir, (descriptor), int descriptor) { return list(here, descriptor); }

ONTIME_CALL(dirent*, readdir, DIR* directory) {
  return listings().contains(directory) ? next_of(*reinterpret_cast<Listing*>(directory))
                                        : ONTIME_REAL(readdir)(directory);
}

ONTIME_CALL(int, dirfd, DIR* directory) {
  return listings().contains(directory) ? reinterpret_cast<Listing*>(directory)->descriptor
                                        : ONTIME_REAL(dirfd)(directory);
}

ONTIME_CALL(int, closedir, DIR* directory) {
  if (listings().erase(directory) == 0) return ONTIME_REAL(closedir)(directory);
  auto* const listing = reinterpret_cast<Listing*>(directory);
  ::close(listing->descriptor);
  delete listing;
  return 0;
}

ONTIME_SIMULATE(FILE*, fopen, (path, mode), const char* path, const char* mode) {
  const FoundPath place = find_place(here.process(), AT_FDCWD, path, true);
  if (!place.real.empty()) return ONTIME_REAL(fopen)(path, mode);
  const int descriptor = open_place(here, place, flags_of(mode), 0666);
  return descriptor < 0 ? nullptr : stream_over(descriptor, mode);
}

ONTIME_SIMULATE(FILE*, fopen64, (path, mode), const char* path, const char* mode) {
  return simulate_fopen(here, path, mode);
}

ONTIME_SIMULATE(FILE*, fdopen, (descriptor, mode), int descriptor, const char* mode) {
  return stream_over(descriptor, mode);
}

ONTIME_CALL(int, fileno, FILE* stream) {
  const auto found = streams().find(stream);
  return found != streams().end() ? found->second : ONTIME_REAL(fileno)(stream);
}

ONTIME_CALL(int, fclose, FILE* stream) {
  const auto found = streams().extract(stream);
  const int result = ONTIME_REAL(fclose)(stream);
  if (!found.empty()) ::close(found.mapped());
  return result;
}
