#pragma once
// An output directory as it is reached. With output roots it is held open, and everything is done to the very directory
// that was found to lie in them, whatever becomes of the names on the way to it. Pool thread.

#include <string>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "master/file_system.h"

namespace ontime::master {

class OutputPlace {
 public:
  // The directory that has to be there. Failed if it cannot be opened, or lies outside.
  static Result<OutputPlace> find(const std::string& directory, const files::Roots& roots);
  // The directory; with roots it is made, and those above it, unless it is there. BadInput, with one sentence, if it
  // lies outside or cannot be made.
  static Result<OutputPlace> make(const std::string& directory, const files::Roots& roots);

  // Good for system calls while this object lives; the last link may have to be followed.
  const std::string& path() const { return path_; }
  // Names the directory as its job does.
  Status in_words(Status status) const;

 private:
  explicit OutputPlace(std::string directory) : directory_(directory), path_(std::move(directory)) {}
  OutputPlace(std::string directory, Descriptor held);

  std::string directory_;
  std::string path_;
  Descriptor held_;  // with roots only
};

}  // namespace ontime::master
