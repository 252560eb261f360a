#pragma once
// Work on file systems says that it gets on. A thread of FileWork is watched by it: one that says nothing for long hangs
// in a call to a file system that does not answer. Anywhere else it says nothing to nobody.

#include <atomic>

#include "common/base/time.h"

namespace ontime::master {

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

}  // namespace ontime::master
