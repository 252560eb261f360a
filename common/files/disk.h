#pragma once
// The seam to the local disk: files whose loss or damage matters are opened and changed through these functions.
// disk.cpp holds them and nothing else, so that the crash tests can link functions in their place that fail on purpose
// (tests/crash/faulty_disk.cpp). Each costs no more than the system call behind it. tests/architecture/check_disk.py
// lists what may call the system directly. Any thread.
//
// Those that return int return 0 or errno.

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/descriptor.h"

namespace ontime::files {

// A path, or a name in an open directory. For arguments only: it keeps no copy of the name.
struct Place {
  Place(const char* path) : name(path) {}                 // NOLINT: implicit by intent
  Place(const std::string& path) : name(path.c_str()) {}  // NOLINT: implicit by intent
  Place(int opened, const char* name_in_it) : directory(opened), name(name_in_it) {}
  Place(int opened, const std::string& name_in_it) : Place(opened, name_in_it.c_str()) {}

  int directory = AT_FDCWD;
  const char* name;
};

// For a name that others may have given to something else: no link is followed, no pipe waited for.
inline constexpr int kPlainFile = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
inline constexpr int kEmptyFile = O_WRONLY | O_CREAT | O_TRUNC | kPlainFile;  // made, or emptied
inline constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | kPlainFile;     // fails if there is something
inline constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;         // may be a link to one

// As ::openat. None if that failed; errno says why.
Descriptor open(const Place& place, int flags, mode_t mode = 0644);

int append(int file, std::string_view bytes);  // all of it, where the file stands
// Copies within the kernel, as ::copy_file_range to where `to` stands: how many bytes, 0 at the end of `from`, or -1
// with errno.
ssize_t copy(int from, off64_t* offset, int to, std::size_t bytes);
int truncate(int file, std::uint64_t size);

// What was written lasts, whoever wrote it. Of a directory: the names in it.
int sync(int file);
int sync_content(int file);  // of a file, without the time of its last change: quicker

int rename(const Place& from, const Place& to);
int remove(const Place& place);            // a file or a link
int remove_directory(const Place& place);  // an empty one
int make_directory(const Place& place, mode_t mode = 0777);

}  // namespace ontime::files
