#pragma once
// A private directory below $TMPDIR (or /tmp) for one run, removed with everything in it when the object goes. A lock
// file inside tells the living from the dead: left-overs of processes that were killed are removed by the next run.

#include <memory>
#include <string>

#include "common/base/result.h"

namespace ontime::cli {

class TemporaryDirectory {
 public:
  static Result<std::unique_ptr<TemporaryDirectory>> make();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

  static std::string parent();  // $TMPDIR or /tmp
  // Removes directories of this user whose lock nobody holds. Never an error: there is nothing to be done about one.
  static void remove_left_overs();

 private:
  TemporaryDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  // descriptor that holds the lock
};

}  // namespace ontime::cli
