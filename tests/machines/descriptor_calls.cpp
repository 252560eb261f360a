// Calls on descriptors, whatever they stand for, and on memory that processes share.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include <algorithm>
#include <memory>

#include "tests/machines/calls.h"
#include "tests/machines/watched.h"

namespace ontime::lab::machines {
namespace {

int control(int descriptor, int command, std::intptr_t argument, Thread& here) {
  Slot* const slot = here.process().slot(descriptor);
  if (slot == nullptr) return given(-EBADF);
  const auto disk_file = std::dynamic_pointer_cast<DiskFile>(slot->file.get());
  switch (command) {
    case F_GETFD:
      return slot->closes_on_exec ? FD_CLOEXEC : 0;
    case F_SETFD:
      slot->closes_on_exec = (argument & FD_CLOEXEC) != 0;
      return 0;
    case F_GETFL:
      return (disk_file ? disk_file->flags : O_RDWR) | (slot->file->does_not_block ? O_NONBLOCK : 0);
    case F_SETFL:
      slot->file->does_not_block = (argument & O_NONBLOCK) != 0;
      return 0;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return here.process().add(slot->file.get(), command == F_DUPFD_CLOEXEC, static_cast<int>(argument));
    default:
      return 0;  // locks of RocksDB, whose lock file stands beside ours; seals; hints
  }
}

}  // namespace
}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

ONTIME_CALL(int, fstatfs, int descriptor, struct statfs* to) {
  if (caller() == nullptr) return ONTIME_REAL(fstatfs)(descriptor, to);
  *to = {};
  to->f_bsize = 4096;
  return 0;
}

#define ONTIME_CONTROL_CALL(name)                                              \
  ONTIME_CALL(int, name, int descriptor, int command, ...) {                   \
    va_list arguments;                                                         \
    va_start(arguments, command);                                              \
    const auto argument = va_arg(arguments, std::intptr_t);                    \
    va_end(arguments);                                                         \
    Thread* const here = caller();                                             \
    return here != nullptr ? control(descriptor, command, argument, *here)     \
                           : ONTIME_REAL(name)(descriptor, command, argument); \
  }
ONTIME_CONTROL_CALL(fcntl)
ONTIME_CONTROL_CALL(fcntl64)

ONTIME_CALL(int, ioctl, int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  auto* const argument = va_arg(arguments, void*);
  va_end(arguments);
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(ioctl)(descriptor, request, argument);
  const FilePointer file = here->process().at(descriptor);
  if (!file) return given(-EBADF);
  if (request != FIONBIO) return given(-ENOTTY);
  file->does_not_block = *static_cast<int*>(argument) != 0;
  return 0;
}

ONTIME_SIMULATE(int, flock, (descriptor, operation), int descriptor, int operation) {
  const auto file = file_at<DiskFile>(here, descriptor);
  if (!file) return given(-EBADF);
  Inode& inode = *file->inode;
  if ((operation & LOCK_UN) != 0) {
    if (inode.lock_holder == file.get()) inode.lock_holder = nullptr;
    return 0;
  }
  if (inode.lock_holder != nullptr && inode.lock_holder != file.get()) return given(-EWOULDBLOCK);
  inode.lock_holder = file.get();
  return 0;
}

ONTIME_SIMULATE(int, dup2, (from, to), int from, int to) {
  const FilePointer file = here.process().at(from);
  if (!file) return given(-EBADF);
  here.process().slots()[to] = {Held(file), false};
  return to;
}

ONTIME_SIMULATE(int, dup3, (from, to, flags), int from, int to, int flags) {
  const FilePointer file = here.process().at(from);
  if (!file) return given(-EBADF);
  here.process().slots()[to] = {Held(file), (flags & O_CLOEXEC) != 0};
  return to;
}

ONTIME_SIMULATE(int, close_range, (first, last, flags), unsigned first, unsigned last, int flags) {
  std::erase_if(here.process().slots(), [&](const auto& slot) {
    return static_cast<unsigned>(slot.first) >= first && static_cast<unsigned>(slot.first) <= last;
  });
  return 0;
}

ONTIME_SIMULATE(int, memfd_create, (name, flags), const char* name, unsigned flags) {
  return here.process().add(std::make_shared<SharedMemory>(), true);
}

ONTIME_CALL(void*, mmap, void* at, std::size_t size, int protection, int flags, int descriptor, off_t offset) {
  Thread* const here = descriptor < 0 ? nullptr : caller();
  if (here == nullptr) return ONTIME_REAL(mmap)(at, size, protection, flags, descriptor, offset);
  const auto memory = std::dynamic_pointer_cast<SharedMemory>(here->process().at(descriptor));
  if (!memory) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  here->process().mapped.push_back(memory);
  return memory->at;
}

ONTIME_CALL(int, munmap, void* at, std::size_t size) {
  Thread* const here = World::here();
  if (here != nullptr) {
    auto& mapped = here->process().mapped;
    const auto found = std::find_if(mapped.begin(), mapped.end(), [&](const FilePointer& file) {
      return std::static_pointer_cast<SharedMemory>(file)->at == at;
    });
    if (found != mapped.end()) {
      mapped.erase(found);
      return 0;
    }
  }
  return ONTIME_REAL(munmap)(at, size);
}
