#include "cli/result/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "common/base/crc32c.h"
#include "common/base/ids.h"
#include "common/files/roots.h"
#include "common/store/name.h"

namespace ontime::cli {
namespace {

std::string hex(std::uint32_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%08x", value);
  return text.data();
}

// Nothing if that is no regular file.
std::optional<std::uint64_t> size_of(int directory, const char* name) {
  struct stat status {};
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) return {};
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<FinishedOutput> FinishedOutput::open(const std::string& directory) {
  FinishedOutput output;
  if (store::is_name(directory)) {
    auto fetched = FetchedOutput::fetch(directory);
    if (!fetched) return fetched.error();
    output.fetched_ = std::move(*fetched);
  }
  const std::string& path = output.fetched_ ? output.fetched_->directory() : directory;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return bad_input("cannot open the directory '" + directory + "': " + std::strerror(errno));
  output.name_ = directory;
  output.directory_ = std::make_shared<Descriptor>(descriptor);
  if (!size_of(descriptor, output::kSuccessName))
    return bad_input("'" + directory + "' has no _SUCCESS: its job has not finished, has failed, or it is no output " +
                     "directory of a job");
  auto manifest = output::read_manifest(descriptor, directory);
  if (!manifest) return manifest.error();
  output.manifest_ = std::make_shared<const output::Manifest>(std::move(*manifest));
  return output;
}

Result<std::vector<PartFile>> part_files(const FinishedOutput& output) {
  std::vector<PartFile> parts;
  for (const auto& task : output.manifest().tasks) {
    std::uint64_t length = 0;
    for (const auto& segment : task.segments) length += segment.length;
    if (task.part != part_file_name(task.index))
      return failed("the manifest in '" + output.name() + "' names a part file '" + task.part +
                    "', which no job writes");
    parts.push_back({output.directory(), output.name() + "/" + task.part, &task});
    if (size_of(output.directory(), task.part.c_str()) != length)
      return failed("part file '" + parts.back().path +
                    "' is missing, is no regular file, or has another length than " +
                    "it was written with; 'ontime verify " + output.name() + "' tells what is damaged");
  }
  return parts;
}

Result<std::shared_ptr<Descriptor>> open_part(const PartFile& part) {
  const auto file = files::open_regular(part.directory, part.task->part);
  if (!file) return failed("part file '" + part.path + "' " + file.error().message);
  return std::make_shared<Descriptor>(*file);
}

Status PartCheck::add(std::string_view bytes) {
  for (;;) {
    if (auto status = end_segments(); !status) return status;
    if (bytes.empty()) return {};
    if (segment_ == segments_->size()) return failed("part file '" + path_ + "' has grown while it was read");
    const auto size = std::min<std::uint64_t>(bytes.size(), (*segments_)[segment_].length - done_);
    crc_ = crc32c(crc_, bytes.data(), size);
    done_ += size;
    bytes.remove_prefix(size);
  }
}

Status PartCheck::end_segments() {
  for (; segment_ < segments_->size() && (*segments_)[segment_].length == done_; ++segment_) {
    const output::Segment& segment = (*segments_)[segment_];
    if (crc_ != segment.crc32c) return failed(checksum_problem(path_, segment, crc_));
    done_ = 0;
    crc_ = 0;
  }
  return {};
}

Status PartCheck::finish() {
  if (auto status = end_segments(); !status) return status;
  if (segment_ < segments_->size()) return failed("part file '" + path_ + "' has become shorter while it was read");
  return {};
}

std::string checksum_problem(const std::string& part, const output::Segment& segment, std::uint32_t found) {
  return "part file '" + part + "', bytes " + std::to_string(segment.offset) + " to " +
         std::to_string(segment.offset + segment.length) + ": checksum " + hex(found) + " instead of " +
         hex(segment.crc32c) + "; the output was changed after the job";
}

}  // namespace ontime::cli
