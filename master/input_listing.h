#pragma once
// The input files of a job from what a user names: absolute paths, directories, globs, file:// URLs. Touches the file
// system; runs on a pool thread.

#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

// Argument by argument, as each may lie on another file system; each on any one thread.
class InputListing {
 public:
  explicit InputListing(files::Roots roots);
  ~InputListing();

  Status add(const std::string& argument);
  Result<std::vector<scheduler::InputFile>> finish();  // after the last argument, without touching any file

 private:
  class Files;
  const std::unique_ptr<Files> files_;
};

// The path that is looked at for an argument, without what of it is a pattern. Touches no file.
std::string searched_at(const std::string& argument);

// All files in the order of the arguments, sorted within each, each once, empty ones left out. A directory stands for
// the files directly in it whose names begin neither with '.' nor with '_'. BadInput, with one sentence that names the
// argument or file, for anything that cannot be read in full later: nothing is left out silently but empty files.
// That goes for files outside of `roots` too, wherever the name was found, and whether or not there is such a file.
Result<std::vector<scheduler::InputFile>> list_inputs(const std::vector<std::string>& arguments,
                                                      const files::Roots& roots = {});

}  // namespace ontime::master
