#pragma once
// A directory for files of jobs, below $TMPDIR: made when it is first needed, removed with this object, or by the next
// worker of this user if this one is killed.

#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/files/temporary_directory.h"

namespace ontime::worker {

class Scratch {
 public:
  explicit Scratch(std::string prefix) : prefix_(std::move(prefix)) {}

  // Attempts may run as other users: they may go through it, and open what they know the name of. Failed, with a
  // sentence.
  Status make();
  std::string path() const { return directory_ ? directory_->path() : std::string(); }  // empty: not made yet

 private:
  const std::string prefix_;
  std::unique_ptr<files::TemporaryDirectory> directory_;
};

// Whatever is left of it. Never an error: there is nothing to be done about one.
void remove_all(const std::string& path);

}  // namespace ontime::worker
