#pragma once
// The few system calls that output directories need, with their errors as sentences.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "common/base/time.h"

namespace ontime::master {

// Which mount a path leads to, without touching the mount: one that hangs must not be asked.
class Mounts {
 public:
  // Of this process, as the kernel lists them (/proc/self/mountinfo): no file system is asked.
  static Mounts of_this_process();
  explicit Mounts(std::vector<std::string> points);

  // The mount point that an absolute path lies below by its name; "/" if none does. Links in it are not followed. Of an
  // address, "s3://bucket/key", the part that says who answers: "s3://bucket".
  std::string of(std::string_view path) const;

  // Where the path leads by the links on it that lie on its own mount, up to the first that leads to another one; a
  // path whose mount is the same in the end is returned as it is found then. Reads links of that mount only. Any thread
  // that may hang with that mount.
  std::string follow(const std::string& path) const;

 private:
  std::vector<std::string> points_;
};

// Work on file systems reports its progress here. FileWork watches its threads by it: one without progress for long
// hangs in a call to a file system that does not answer. On other threads a report does nothing.

// Between any two calls to a file system that may take long.
void note_progress();

// Counts what the thread notes while this object lives. One at a time for a thread.
class ProgressOf {
 public:
  explicit ProgressOf(std::atomic<std::uint64_t>& count);
  ~ProgressOf();
  ProgressOf(const ProgressOf&) = delete;
  ProgressOf& operator=(const ProgressOf&) = delete;
};

// "Cannot <what> '<path>': <reason of errno>."
Error system_error(const char* what, const std::string& path, int problem);

// Makes names created, renamed or removed in the directory last.
Status sync_directory(const std::string& path);

}  // namespace ontime::master
