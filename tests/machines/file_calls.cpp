// Calls on open files, and those that open them.
#include <fcntl.h>
#include <stdarg.h>

#include <algorithm>
#include <utility>

#include "tests/machines/calls.h"
#include "tests/machines/watched.h"

namespace ontime::lab::machines {

void fill_stat(const Inode& inode, struct stat& to) {
  to = {};
  to.st_dev = inode.disk == nullptr ? 1 : inode.disk->root()->number + 1000;
  to.st_ino = inode.number;
  to.st_mode = inode.mode;
  to.st_nlink = static_cast<nlink_t>(inode.links);
  to.st_size = static_cast<off_t>(inode.bytes.size());
  to.st_blksize = 4096;
  to.st_blocks = (to.st_size + 511) / 512;
  const auto ns = to_unix_ns(inode.changed_at);
  to.st_mtim = {ns / 1'000'000'000, ns % 1'000'000'000};
  to.st_ctim = to.st_atim = to.st_mtim;
}

namespace {

std::shared_ptr<DiskFile> on_disk(const FilePointer& file) { return std::dynamic_pointer_cast<DiskFile>(file); }

int open_at(Thread& here, int directory, const char* path, int flags, mode_t mode) {
  FoundPath place = find_place(here.process(), directory, path, (flags & O_NOFOLLOW) == 0);
  return open_place(here, std::move(place), flags, mode);
}

ssize_t read_some(Thread& here, const FilePointer& file, void* to, std::size_t size) {
  if (const auto disk_file = on_disk(file)) {
    if (const int error = work_on(here, *disk_file->inode->disk, DiskWork::Look, size); error != 0) return error;
  }
  return waited(here, *file, true, [&] { return file->read(to, size); });
}

// Shortens `size` to what a disk that has just become full still takes.
int work_on_write(Thread& here, Disk& disk, std::size_t& size) {
  const int error = work_on(here, disk, DiskWork::Change);
  if (error != -ENOSPC || size < 2) return error;
  if (!std::exchange(mount_of(here.process(), disk).has_some_room, false)) return error;
  size = static_cast<std::size_t>(1 + here.world().random().below(size - 1));
  return 0;
}

ssize_t write_some(Thread& here, const FilePointer& file, const void* from, std::size_t size) {
  if (const auto disk_file = on_disk(file)) {
    if (const int error = work_on_write(here, *disk_file->inode->disk, size); error != 0) return error;
  }
  return waited(here, *file, true, [&] { return file->write(from, size); });
}

}  // namespace

int open_place(Thread& here, FoundPath place, int flags, mode_t mode) {
  Process& process = here.process();
  const bool closes = (flags & O_CLOEXEC) != 0;
  if (place.error != 0) return given(place.error);
  if (place.special) return process.add(std::move(place.special), closes);
  if (!place.real.empty()) {
    const auto descriptor =
        static_cast<int>(::syscall(257 /* openat */, AT_FDCWD, place.real.c_str(), O_RDONLY | O_CLOEXEC));
    if (descriptor < 0) return -1;
    return process.add(std::make_shared<RealFile>(Descriptor(descriptor)), closes);
  }
  if (!place.inode) {
    if ((flags & O_CREAT) == 0 || !place.directory || !place.directory->is_directory()) return given(-ENOENT);
    int error = work_on(here, *place.directory->disk, DiskWork::Change);
    if (error != 0) return given(error);
    place.inode = place.directory->disk->make(place.directory, place.name, S_IFREG | (mode & 0777), error);
    if (error == -EEXIST && (flags & O_EXCL) == 0) place.inode = place.directory->entries.at(place.name);
    if (!place.inode) return given(error);
  } else {
    if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return given(-EEXIST);
    if (const int error = work_on(here, *place.inode->disk, DiskWork::Look); error != 0) return given(error);
  }
  const Inode& inode = *place.inode;
  if (inode.is_link()) return given(-ELOOP);
  if ((flags & O_DIRECTORY) != 0 && !inode.is_directory()) return given(-ENOTDIR);
  if (inode.is_directory() && (flags & O_ACCMODE) != O_RDONLY) return given(-EISDIR);
  if ((flags & O_TRUNC) != 0 && !inode.bytes.empty()) {
    if (const int error = place.inode->disk->resize(*place.inode, 0, process.machine().address()); error != 0)
      return given(error);
  }
  return process.add(std::make_shared<DiskFile>(place.inode, flags, process.machine().address()), closes);
}

}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

// The mode is there if a file may be made.
#define ONTIME_OPEN_CALL(name, directory, arguments, ...)                     \
  ONTIME_CALL(int, name, __VA_ARGS__, int flags, ...) {                       \
    va_list more;                                                             \
    va_start(more, flags);                                                    \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;    \
    va_end(more);                                                             \
    Thread* const here = caller();                                            \
    if (here != nullptr) return open_at(*here, directory, path, flags, mode); \
    return ONTIME_REAL(name) arguments;                                       \
  }
ONTIME_OPEN_CALL(open, AT_FDCWD, (path, flags, mode), const char* path)
ONTIME_OPEN_CALL(open64, AT_FDCWD, (path, flags, mode), const char* path)
ONTIME_OPEN_CALL(openat, directory, (directory, path, flags, mode), int directory, const char* path)

ONTIME_SIMULATE(int, close, (descriptor), int descriptor) { return given(here.process().close(descriptor)); }

ONTIME_SIMULATE(ssize_t, read, (descriptor, to, size), int descriptor, void* to, std::size_t size) {
  const FilePointer file = here.process().at(descriptor);
  return given(file ? read_some(here, file, to, size) : -EBADF);
}

ONTIME_SIMULATE(ssize_t, write, (descriptor, from, size), int descriptor, const void* from, std::size_t size) {
  const FilePointer file = here.process().at(descriptor);
  return given(file ? write_some(here, file, from, size) : -EBADF);
}

ONTIME_SIMULATE(ssize_t, readv, (descriptor, pieces, count), int descriptor, const iovec* pieces, int count) {
  const FilePointer file = here.process().at(descriptor);
  return given(file ? read_some(here, file, pieces[0].iov_base, pieces[0].iov_len) : -EBADF);
}

ONTIME_SIMULATE(ssize_t, writev, (descriptor, pieces, count), int descriptor, const iovec* pieces, int count) {
  const FilePointer file = here.process().at(descriptor);
  if (!file) return given<ssize_t>(-EBADF);
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t size = write_some(here, file, pieces[i].iov_base, pieces[i].iov_len);
    if (size < 0) return total > 0 ? total : given(size);
    total += size;
    if (static_cast<std::size_t>(size) < pieces[i].iov_len) break;
  }
  return total;
}

ONTIME_SIMULATE(ssize_t, pread, (descriptor, to, size, offset), int descriptor, void* to, std::size_t size,
                off_t offset) {
  const FilePointer file = here.process().at(descriptor);
  if (const auto real_file = std::dynamic_pointer_cast<RealFile>(file)) {
    return ::syscall(17 /* pread64 */, real_file->descriptor.get(), to, size, offset);
  }
  const auto disk_file = on_disk(file);
  if (!disk_file) return given<ssize_t>(file ? -ESPIPE : -EBADF);
  const std::size_t there = disk_file->inode->bytes.size() -
                            std::min<std::size_t>(disk_file->inode->bytes.size(), static_cast<std::size_t>(offset));
  const int error = work_on(here, *disk_file->inode->disk, DiskWork::Look, std::min(size, there));
  if (error != 0) return given<ssize_t>(error);
  return given(disk_file->inode->disk->read(*disk_file->inode, to, size, static_cast<std::uint64_t>(offset)));
}

ONTIME_SIMULATE(ssize_t, pread64, (descriptor, to, size, offset), int descriptor, void* to, std::size_t size,
                off_t offset) {
  return simulate_pread(here, descriptor, to, size, offset);
}

ONTIME_SIMULATE(ssize_t, pwrite, (descriptor, from, size, offset), int descriptor, const void* from, std::size_t size,
                off_t offset) {
  const auto file = file_at<DiskFile>(here, descriptor);
  if (!file) return given<ssize_t>(-EBADF);
  if (const int error = work_on_write(here, *file->inode->disk, size); error != 0) return given<ssize_t>(error);
  return given(file->inode->disk->write(*file->inode, from, size, static_cast<std::uint64_t>(offset), file->opener));
}

ONTIME_SIMULATE(ssize_t, pwrite64, (descriptor, from, size, offset), int descriptor, const void* from, std::size_t size,
                off_t offset) {
  return simulate_pwrite(here, descriptor, from, size, offset);
}

ONTIME_SIMULATE(off_t, lseek64, (descriptor, offset, from), int descriptor, off_t offset, int from) {
  const auto file = file_at<DiskFile>(here, descriptor);
  if (!file) return given<off_t>(-ESPIPE);
  const auto base = from == SEEK_CUR ? file->offset : from == SEEK_END ? file->inode->bytes.size() : 0;
  file->offset = base + static_cast<std::uint64_t>(offset);
  return static_cast<off_t>(file->offset);
}

ONTIME_SIMULATE(off_t, lseek, (descriptor, offset, from), int descriptor, off_t offset, int from) {
  return simulate_lseek64(here, descriptor, offset, from);
}

ONTIME_SIMULATE(int, fsync, (descriptor), int descriptor) {
  const auto file = file_at<DiskFile>(here, descriptor);
  if (!file) return given(-EINVAL);
  if (const int error = work_on(here, *file->inode->disk, DiskWork::Sync); error != 0) return given(error);
  file->inode->disk->sync(*file->inode);
  return 0;
}

ONTIME_SIMULATE(int, fdatasync, (descriptor), int descriptor) { return simulate_fsync(here, descriptor); }

ONTIME_SIMULATE(int, ftruncate, (descriptor, size), int descriptor, off_t size) {
  const FilePointer open = here.process().at(descriptor);
  if (const auto memory = std::dynamic_pointer_cast<SharedMemory>(open)) {
    return given(memory->resize(static_cast<std::size_t>(size)));
  }
  const auto file = on_disk(open);
  if (!file) return given(-EBADF);
  if (const int error = work_on(here, *file->inode->disk, DiskWork::Change); error != 0) return given(error);
  return given(file->inode->disk->resize(*file->inode, static_cast<std::uint64_t>(size), file->opener));
}

// Room that is set aside is not simulated: what is written finds out whether there is some.
ONTIME_SIMULATE(int, fallocate, (descriptor, mode, offset, size), int descriptor, int mode, off_t offset, off_t size) {
  return given(-EOPNOTSUPP);
}

ONTIME_SIMULATE(int, posix_fallocate, (descriptor, offset, size), int descriptor, off_t offset, off_t size) {
  return EOPNOTSUPP;
}

ONTIME_SIMULATE(int, posix_fadvise, (descriptor, offset, size, advice), int descriptor, off_t offset, off_t size,
                int advice) {
  return 0;
}

ONTIME_SIMULATE(int, sync_file_range, (descriptor, offset, size, flags), int descriptor, off_t offset, off_t size,
                unsigned flags) {
  return 0;
}

ONTIME_SIMULATE(ssize_t, copy_file_range, (from, from_offset, to, to_offset, size, flags), int from, off_t* from_offset,
                int to, off_t* to_offset, std::size_t size, unsigned flags) {
  std::string bytes(std::min<std::size_t>(size, 1u << 16), '\0');
  const ssize_t got = from_offset != nullptr ? ::pread(from, bytes.data(), bytes.size(), *from_offset)
                                             : ::read(from, bytes.data(), bytes.size());
  if (got <= 0) return got;
  const auto count = static_cast<std::size_t>(got);
  const ssize_t put =
      to_offset != nullptr ? ::pwrite(to, bytes.data(), count, *to_offset) : ::write(to, bytes.data(), count);
  if (put > 0 && from_offset != nullptr) *from_offset += put;
  if (put > 0 && to_offset != nullptr) *to_offset += put;
  return put;
}

ONTIME_SIMULATE(int, fstat, (descriptor, to), int descriptor, struct stat* to) {
  const FilePointer file = here.process().at(descriptor);
  if (!file) return given(-EBADF);
  if (const auto disk_file = on_disk(file)) {
    fill_stat(*disk_file->inode, *to);
    return 0;
  }
  *to = {};
  to->st_mode = file->kind() | 0600;
  to->st_nlink = 1;
  const auto memory = std::dynamic_pointer_cast<SharedMemory>(file);
  if (memory) to->st_size = static_cast<off_t>(memory->size);
  return 0;
}

ONTIME_SIMULATE(int, fstat64, (descriptor, to), int descriptor, struct stat* to) {
  return simulate_fstat(here, descriptor, to);
}
