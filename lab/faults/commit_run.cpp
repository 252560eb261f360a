#include "lab/faults/commit_run.h"

namespace ontime::lab::faults {

void CommitRun::step(OutputStore& store) {
  OutputDirectory& directory = store.directory(directory_);
  if (next_ == 0 && directory.has_success) {
    is_done_ = true;
  } else if (next_ < plan_.parts.size()) {
    place(store, plan_.parts[next_]);
  } else {
    conclude(directory);
  }
  ++next_;
}

void CommitRun::place(OutputStore& store, const master::Part& part) {
  OutputDirectory& directory = store.directory(directory_);
  if (part.may_rename && rename_part(store, part)) return;
  const auto placed = directory.parts.find(part.name);
  if (placed != directory.parts.end() && store.file(placed->second).records.size() == part.length) return;
  if (part.length == 0) {
    directory.parts[part.name] = store.create();
  } else {
    stitch(store, part);
  }
}

bool CommitRun::rename_part(OutputStore& store, const master::Part& part) {
  OutputDirectory& directory = store.directory(directory_);
  const auto written = directory.attempts.find(part.extents.front().file);
  if (written == directory.attempts.end()) return false;
  OutputFile& file = store.file(written->second);
  if (file.records.size() < part.length) return false;
  file.records.resize(part.length);
  file.synced = part.length;
  directory.parts[part.name] = written->second;
  directory.attempts.erase(written);
  return true;
}

void CommitRun::stitch(OutputStore& store, const master::Part& part) {
  const FileId whole = store.create();
  for (const master::Extent& extent : part.extents) {
    const auto found = store.directory(directory_).attempts.find(extent.file);
    if (found == store.directory(directory_).attempts.end()) return fail(store, "there is no " + extent.file);
    const OutputFile& from = store.file(found->second);
    if (from.records.size() < extent.offset + extent.length) return fail(store, extent.file + " is too short");
    const auto begin = from.records.begin() + static_cast<std::ptrdiff_t>(extent.offset);
    OutputFile& to = store.file(whole);
    to.records.insert(to.records.end(), begin, begin + static_cast<std::ptrdiff_t>(extent.length));
    to.synced = to.records.size();
  }
  store.directory(directory_).parts[part.name] = whole;
}

void CommitRun::conclude(OutputDirectory& directory) {
  switch (next_ - plan_.parts.size()) {
    case 0:
      directory.has_manifest = true;
      return;
    case 1:
      directory.attempts.clear();
      directory.has_attempts = false;
      return;
    default:
      directory.has_success = true;
      is_done_ = true;
  }
}

void discard_output(OutputDirectory& directory) {
  if (!directory.has_attempts || directory.has_success) return;  // not claimed any more, or committed
  directory.parts.clear();
  directory.has_manifest = false;
  directory.attempts.clear();
  directory.has_attempts = false;
}

}  // namespace ontime::lab::faults
