#pragma once
// What libraries share that are preloaded into the programs (LD_PRELOAD): the real function behind the one that they
// put in its place, and the path that a call is about.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <string>

namespace ontime::test::preload {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

using Open = int(const char*, int, ...);
using OpenAt = int(int, const char*, int, ...);

inline std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

inline bool is_at_or_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

inline std::string path_of(int descriptor) {
  static auto* const readlink_it = real<ssize_t(const char*, char*, size_t)>("readlink");
  char target[4096];
  const ssize_t size = readlink_it(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : "";
}

// The mode, if the flags say that there is one.
inline mode_t mode_in(int flags, va_list& arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace ontime::test::preload

// Defines open() and its relatives by `int open_instead(int directory, const char* path, int flags, mode_t mode)`.
#define ONTIME_PRELOAD_OPEN(NAME)                                         \
  int NAME(const char* path, int flags, ...) {                            \
    va_list arguments;                                                    \
    va_start(arguments, flags);                                           \
    const mode_t mode = ontime::test::preload::mode_in(flags, arguments); \
    va_end(arguments);                                                    \
    return open_instead(AT_FDCWD, path, flags, mode);                     \
  }
#define ONTIME_PRELOAD_OPENAT(NAME)                                       \
  int NAME(int directory, const char* path, int flags, ...) {             \
    va_list arguments;                                                    \
    va_start(arguments, flags);                                           \
    const mode_t mode = ontime::test::preload::mode_in(flags, arguments); \
    va_end(arguments);                                                    \
    return open_instead(directory, path, flags, mode);                    \
  }
#define ONTIME_PRELOAD_OPENS    \
  ONTIME_PRELOAD_OPEN(open)     \
  ONTIME_PRELOAD_OPEN(open64)   \
  ONTIME_PRELOAD_OPENAT(openat) \
  ONTIME_PRELOAD_OPENAT(openat64)
