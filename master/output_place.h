#pragma once
// An output directory, held open: everything is done to the very directory that was found, whatever becomes of the
// names on the way to it. Pool thread.

#include <string>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "master/file_system.h"

namespace ontime::master {

// BadInput, or Failed where it is the disk that is full or broken, which is nothing that the submission did wrong.
Error cannot_make_output(const std::string& directory, int problem);

class OutputPlace {
 public:
  // The directory that has to be there. Failed if it cannot be opened, or lies outside of `roots`.
  static Result<OutputPlace> find(const std::string& directory, const files::Roots& roots);
  // The directory, which is made, and those above it, unless it is there. BadInput, with one sentence, if it lies
  // outside of `roots` or cannot be made.
  static Result<OutputPlace> make(const std::string& directory, const files::Roots& roots);

  int descriptor() const { return held_.get(); }
  // Another name for it, good for system calls while this object lives; the last link may have to be followed.
  const std::string& path() const { return path_; }
  // Whether its own name leads to it still.
  bool is_in_place() const;
  // Names the directory as its job does.
  Status in_words(Status status) const;

 private:
  OutputPlace(std::string directory, Descriptor held);

  std::string directory_;
  std::string path_;
  Descriptor held_;
};

}  // namespace ontime::master
