#include "worker/data/output_file.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "common/base/kill_point.h"
#include "common/files/within.h"

namespace ontime::worker {

Outcome<OutputFile> create_output_file(const std::string& path, const files::Roots& roots) {
  pass_kill_point("output-before-create");
  const std::size_t name = path.rfind('/') + 1;  // 0 without a slash
  const std::string directory = name == 0 ? "." : path.substr(0, name);
  const files::Opened opened = files::open_within(roots, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened.is_outside) {
    return Fault{FaultKind::Output, "the output directory " + directory + " lies outside of the output roots (" +
                                        roots.text() + ") of this worker; give master and workers the same roots"};
  }
  OutputFile output{path, {}, FileDescriptor(opened.descriptor)};
  errno = opened.problem;
  if (!output.directory) return system_fault(FaultKind::Output, "cannot create the output file " + path);
  output.file = FileDescriptor(::openat(output.directory.get(), path.c_str() + name,
                                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!output.file) return system_fault(FaultKind::Output, "cannot create the output file " + path);
  pass_kill_point("output-created");
  return output;
}

}  // namespace ontime::worker
