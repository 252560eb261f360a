#pragma once
// The file that an attempt writes its output to, made in a directory that has to be there.

#include <string>

#include "common/files/roots.h"
#include "worker/data/fault.h"
#include "worker/data/file_descriptor.h"

namespace ontime::worker {

struct OutputFile {
  std::string path;          // for messages
  FileDescriptor file;       // for writing
  FileDescriptor directory;  // for making its name durable
};

// A file of that name is a fault: attempts are numbered, so it belongs to somebody who may still write to it or whose
// output may count. So is a directory outside of `roots`. Nothing is followed out of the directory once it is opened.
Outcome<OutputFile> create_output_file(const std::string& path, const files::Roots& roots = {});

}  // namespace ontime::worker
