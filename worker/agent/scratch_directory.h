#pragma once
// A directory of this worker's own below $TMPDIR (or /tmp), made when it is first needed, removed with this object.

#include <string>

#include "common/base/result.h"

namespace ontime::worker {

class ScratchDirectory {
 public:
  // `name`: "ontime-files". Others may go through it, and open what they know the name of, but not list it.
  explicit ScratchDirectory(std::string name) : name_(std::move(name)) {}
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  // Failed, with a sentence.
  Status make();
  const std::string& path() const { return path_; }  // empty: not made yet

 private:
  const std::string name_;
  std::string path_;
};

// Files and directories, whatever is left of them. Never an error: there is nothing to be done about one.
void remove_all_of(const std::string& path);

}  // namespace ontime::worker
