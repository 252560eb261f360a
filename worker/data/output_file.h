#pragma once
// The file that an attempt writes its output to, made in a directory that has to be there.

#include <string>

#include "common/base/descriptor.h"
#include "common/files/roots.h"
#include "worker/data/fault.h"

namespace ontime::worker {

struct OutputFile {
  std::string path;          // for messages
  Descriptor file;       // for writing
  Descriptor directory;  // for making its name durable
};

// `path` is OUTPUT/_attempts/CLAIM/NAME. Links may lead to OUTPUT, which has to lie in `roots`; below it none is
// followed, so the file is made below this job's claim or not at all. A file of that name is a fault: attempts are
// numbered, so it belongs to somebody who may still write to it or whose output may count.
Outcome<OutputFile> create_output_file(const std::string& path, const files::Roots& roots = {});

}  // namespace ontime::worker
