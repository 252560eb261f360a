#pragma once
// The file `ontime-journal.lock` in a journal's directory: whoever writes the journal holds it locked, and notes in it
// what was written (chain.h).

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "master/journal/chain.h"

namespace ontime::journal {

class DirectoryLock {
 public:
  static constexpr const char* kName = "ontime-journal.lock";

  // Held as long as the object lives; the kernel releases it however the process ends. Failed: another master has it.
  static Result<std::unique_ptr<DirectoryLock>> take(const std::string& directory);

  // The directory's path still leads to this file: it was not removed, and no other one put in its place.
  bool is_in_place() const;

  // To be told only what is durable. Not synced, and nobody is told if it fails: then it says less than was written, but
  // never more.
  void note(const Chain& written) const;

  // Of a directory that anybody may have locked. Nothing: nothing was noted, or the note is damaged, which by itself is
  // no reason to distrust the journal.
  static std::optional<Chain> noted_in(const std::string& directory);

 private:
  DirectoryLock(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  const std::string path_;
  const Descriptor file_;
};

}  // namespace ontime::journal
