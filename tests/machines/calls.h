#pragma once
// The seam: calls of the operating system. A program that links these files has functions of the same names as the C
// library's (open, recvmsg, epoll_wait, pthread_create, ...), and the linker binds every caller to them: the master's
// code, Asio, RocksDB, the C++ library. Called from a thread of a simulated process they act on its simulated machine;
// called from anywhere else they are the C library's.
//
// A call of a simulated thread that would wait gives way to others; time passes only in the world.

#include <dlfcn.h>

#include <cerrno>
#include <string>

#include "tests/machines/disk.h"
#include "tests/machines/open_file.h"
#include "tests/machines/process.h"

// Defines the C library's function `name` under another name in C++, so that its declaration does not matter.
#define ONTIME_CALL(result, name, ...)                            \
  extern "C" result simulated_##name(__VA_ARGS__) __asm__(#name); \
  extern "C" result simulated_##name(__VA_ARGS__)

// The same with a body for threads of simulated processes only, in which `here` is the thread; for others the C
// library's function gets the `arguments`, in parentheses. What a body makes nothing of, is not simulated.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define ONTIME_SIMULATE(result, name, arguments, ...)                     \
  static result simulate_##name(Thread& here __VA_OPT__(, ) __VA_ARGS__); \
  extern "C" result simulated_##name(__VA_ARGS__) __asm__(#name);         \
  extern "C" result simulated_##name(__VA_ARGS__) {                       \
    Thread* const here = caller();                                        \
    if (here == nullptr) return ONTIME_REAL(name) arguments;              \
    return simulate_##name(*here ONTIME_MORE arguments);                  \
  }                                                                       \
  static result simulate_##name(Thread& here __VA_OPT__(, ) __VA_ARGS__)
#define ONTIME_MORE(...) __VA_OPT__(, ) __VA_ARGS__

// The C library's own, looked up once.
#define ONTIME_REAL(name)                                                                                  \
  ([] {                                                                                                    \
    static const auto real_one = reinterpret_cast<decltype(&simulated_##name)>(::dlsym(RTLD_NEXT, #name)); \
    return real_one;                                                                                       \
  }())

namespace ontime::lab::machines {

// The thread that calls, null if it is none of a simulated process. Costs it a little time.
inline Thread* caller() {
  Thread* const here = World::here();
  if (here != nullptr) here->world().spend(std::chrono::nanoseconds(500));
  return here;
}

// As the C library gives it: -1 and errno.
template <class Number>
Number given(Number result) {
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

constexpr Duration duration_of(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// What a descriptor stands for, if it is a `File`; else null.
template <class File>
std::shared_ptr<File> file_at(Thread& here, int descriptor) {
  return std::dynamic_pointer_cast<File>(here.process().at(descriptor));
}

// Tries until it need not wait.
template <class Try>
ssize_t waited(Thread& here, OpenFile& file, bool may_wait, Try&& attempt) {
  for (;;) {
    const ssize_t result = attempt();
    if (result != -EAGAIN || !may_wait || file.does_not_block) return result;
    here.wait(file.changed);
  }
}

// Where a path leads.
struct FoundPath {
  int error = 0;  // an errno below zero: it leads nowhere, and not even to a directory where something can be made
  InodePointer directory{};  // where the last name is; null for a root
  std::string name{};
  InodePointer inode{};   // null: there is nothing
  std::string real{};     // not empty: a path of the real machine
  FilePointer special{};  // a device and the like
};
FoundPath find_place(Process& process, int directory, const char* path, bool follows_last);
std::string path_of(const Inode& inode);

// How `process` reaches `disk`.
Mount& mount_of(Process& process, const Disk& disk);

// The time that a disk takes; waits while it hangs. An errno below zero if the work fails.
int work_on(Thread& here, Disk& disk, DiskWork work, std::size_t bytes = 0);

int open_place(Thread& here, FoundPath place, int flags, mode_t mode);
void fill_stat(const Inode& inode, struct stat& to);

}  // namespace ontime::lab::machines
