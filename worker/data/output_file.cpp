#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "common/base/kill_point.h"
#include "common/files/roots.h"
#include "worker/data/segment_writer.h"

namespace ontime::worker {
namespace {

namespace fs = std::filesystem;

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Descriptor open_below(const Descriptor& directory, const fs::path& name) {
  return Descriptor(::openat(directory.get(), name.c_str(), kDirectory | O_NOFOLLOW));
}

Fault lost(const fs::path& claim) {
  const fs::path output = claim.parent_path().parent_path();
  return system_fault(FaultKind::Output, "the output directory " + output.string() +
                                             " is not this job's any more (was it moved or replaced?): cannot open " +
                                             claim.string());
}

}  // namespace

Outcome<OutputFile> create_output_file(const std::string& path, const files::Roots& roots) {
  pass_kill_point("output-before-create");
  const fs::path file(path);
  const fs::path claim = file.parent_path();
  const fs::path attempts = claim.parent_path();
  const std::string directory = attempts.parent_path().string();
  const files::Opened opened = files::open_within(roots, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (opened.is_outside) {
    return Fault{FaultKind::Output, "the output directory " + directory + " lies outside of the output roots (" +
                                        roots.text() + ") of this worker; give master and workers the same roots"};
  }
  const Descriptor held(opened.descriptor);
  errno = opened.problem;
  if (!held) return system_fault(FaultKind::Output, "cannot create the output file " + path);
  const Descriptor above = open_below(held, attempts.filename());
  OutputFile output{path, {}, above ? open_below(above, claim.filename()) : Descriptor()};
  if (!output.directory) return lost(claim);
  output.file = Descriptor(::openat(output.directory.get(), file.filename().c_str(),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!output.file) return system_fault(FaultKind::Output, "cannot create the output file " + path);
  pass_kill_point("output-created");
  return output;
}

}  // namespace ontime::worker
