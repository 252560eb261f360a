#pragma once
// The input files of a job from what a user names: absolute paths, directories, globs, file:// URLs. Touches the file
// system; runs on a pool thread.

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "scheduler/model/job_spec.h"

namespace ontime::master {

// All files in the order of the arguments, sorted within each, each once, empty ones left out. A directory stands for
// the files directly in it whose names begin neither with '.' nor with '_'. BadInput, with one sentence that names the
// argument or file, for anything that cannot be read in full later: nothing is left out silently but empty files.
// That goes for files outside of `roots` too, wherever the name was found, and whether or not there is such a file.
Result<std::vector<scheduler::InputFile>> list_inputs(const std::vector<std::string>& arguments,
                                                      const files::Roots& roots = {});

}  // namespace ontime::master
