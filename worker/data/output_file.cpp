#include <cerrno>
#include <filesystem>
#include <utility>

#include "common/base/kill_point.h"
#include "common/files/disk.h"
#include "common/files/roots.h"
#include "worker/data/segment_writer.h"

namespace ontime::worker {
namespace {

namespace fs = std::filesystem;

Descriptor open_below(const Descriptor& directory, const fs::path& name) {
  return files::open({directory.get(), name.string()}, files::kDirectory | O_NOFOLLOW);
}

Fault lost(const fs::path& claim) {
  const fs::path output = claim.parent_path().parent_path();
  return system_fault(FaultKind::Output, "the output directory " + output.string() +
                                             " is not this job's any more (was it moved or replaced?): cannot open " +
                                             claim.string());
}

}  // namespace

Outcome<OutputFile> OutputFile::create(const std::string& path, const files::Roots& roots) {
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
  Descriptor below = above ? open_below(above, claim.filename()) : Descriptor();
  if (!below) return lost(claim);
  Descriptor made = files::open({below.get(), file.filename().string()}, files::kNewFile, 0666);
  if (!made) return system_fault(FaultKind::Output, "cannot create the output file " + path);
  pass_kill_point("output-created");
  return OutputFile(path, std::move(made), std::move(below));
}

Fault OutputFile::cannot(const char* what, int problem) const {
  errno = problem;
  return system_fault(FaultKind::Output, std::string("cannot ") + what + " " + path_);
}

Outcome<void> OutputFile::append(std::string_view bytes) {
  pass_kill_point("output-before-write");
  if (const int problem = files::append(file_.get(), bytes); problem != 0)
    return cannot("write the output file", problem);
  size_ += bytes.size();
  pass_kill_point("output-written");
  return {};
}

Outcome<void> OutputFile::sync() {
  if (synced_ != size_) {
    pass_kill_point("output-before-sync");
    if (const int problem = files::sync_content(file_.get()); problem != 0)
      return cannot("sync the output file", problem);
    synced_ = size_;
    pass_kill_point("output-synced");
  }
  if (is_name_synced_) return {};
  if (const int problem = files::sync(directory_.get()); problem != 0)
    return cannot("sync the directory of the output file", problem);
  is_name_synced_ = true;
  pass_kill_point("output-name-synced");
  return {};
}

}  // namespace ontime::worker
