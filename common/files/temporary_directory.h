#pragma once
// Private directories, below $TMPDIR (or /tmp) unless told, for one process, removed with everything in them when the
// object goes. A lock file inside tells the living from the dead: left-overs of processes that were killed are removed
// by the next one.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/descriptor.h"
#include "common/base/result.h"

namespace ontime::files {

class TemporaryDirectory {
 public:
  static constexpr std::string_view kRunPrefix = "ontime-run-";  // of the command line
  static Result<std::unique_ptr<TemporaryDirectory>> make(const std::string& below = parent(),
                                                          std::string_view prefix = kRunPrefix);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

  static std::string parent();      // $TMPDIR or /tmp
  void keep() { is_kept_ = true; }  // when the object goes
  // Makes it again, empty, in its place, if somebody has removed it. Failed, with a sentence.
  Status restore();
  // Removes directories of this user with that prefix whose lock nobody holds: as long as what is in them takes. Never
  // an error: there is nothing to be done about one.
  static void remove_left_overs(std::string_view prefix = kRunPrefix);

 private:
  TemporaryDirectory(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  bool is_kept_ = false;
  Descriptor lock_;  // held locked
};

// One that other users may go through, and open what they know the name of: made when it is first needed.
class Scratch {
 public:
  explicit Scratch(std::string prefix) : prefix_(std::move(prefix)) {}

  Status make();  // also if it was removed since; Failed, with a sentence. Left-overs stay
  const std::string& prefix() const { return prefix_; }
  std::string path() const { return directory_ ? directory_->path() : std::string(); }  // empty: not made yet

 private:
  const std::string prefix_;
  std::unique_ptr<TemporaryDirectory> directory_;
};

}  // namespace ontime::files
