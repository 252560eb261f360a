#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/base/kill_point.h"
#include "common/files/disk.h"
#include "master/mounts/file_system.h"
#include "master/outputs/output_directory.h"

namespace ontime::master {
namespace {

constexpr std::uint64_t kStepBytes = 64u << 20;   // between two looks at may_go_on
constexpr std::size_t kBufferBytes = 256u << 10;  // where the kernel cannot copy on its own

// Copies [offset, offset + length) of one file behind what the other holds.
class Copier {
 public:
  Copier(int from, int to, std::uint64_t offset) : from_(from), to_(to), offset_(static_cast<off64_t>(offset)) {}

  // Copies up to `length` bytes: how many, 0 at the end of the source, negative with errno on an error.
  ssize_t copy(std::uint64_t length) {
    if (in_kernel_) {
      const ssize_t copied = files::copy(from_, &offset_, to_, std::min(length, kStepBytes));
      if (copied >= 0) return copied;
      const bool cannot = errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
      if (!cannot) return copied;
      in_kernel_ = false;
    }
    return copy_by_hand(length);
  }

 private:
  ssize_t copy_by_hand(std::uint64_t length) {
    buffer_.resize(kBufferBytes);
    const ssize_t got = ::pread64(from_, buffer_.data(), std::min<std::uint64_t>(length, buffer_.size()), offset_);
    if (got <= 0) return got;
    errno = files::append(to_, {buffer_.data(), static_cast<std::size_t>(got)});
    if (errno != 0) return -1;
    offset_ += got;
    return got;
  }

  const int from_;
  const int to_;
  off64_t offset_;
  bool in_kernel_ = true;
  std::vector<char> buffer_;
};

// What an attempt has sealed in one go is copied in one go.
std::vector<Extent> join_neighbours(const std::vector<Extent>& extents) {
  std::vector<Extent> joined;
  for (const Extent& extent : extents) {
    Extent* const last = joined.empty() ? nullptr : &joined.back();
    if (last != nullptr && last->file == extent.file && last->offset + last->length == extent.offset) {
      last->length += extent.length;
    } else {
      joined.push_back(extent);
    }
  }
  return joined;
}

Status append_extent(const StitchPlace& place, const Extent& extent, const Descriptor& to, const MayGoOn& may_go_on) {
  const std::string path = place.path + "/" + extent.file;
  const Descriptor from = files::open({place.directory, extent.file}, O_RDONLY | files::kPlainFile);
  if (!from.is_open()) return system_error("read the sealed output", path, errno);
  Copier copier(from.get(), to.get(), extent.offset);
  for (std::uint64_t left = extent.length; left > 0;) {
    if (!may_go_on()) return unavailable("The commit was interrupted; it will be repeated.");
    const ssize_t copied = copier.copy(left);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) return system_error("copy the sealed output", path, errno);
    if (copied == 0) return failed("The sealed output '" + path + "' is shorter than what was sealed; was it changed?");
    left -= static_cast<std::uint64_t>(copied);
  }
  return {};
}

}  // namespace

Status stitch(const StitchPlace& place, const Part& part, const std::string& name, const MayGoOn& may_go_on) {
  const std::string path = place.path + "/" + name;
  const Descriptor file = files::open({place.directory, name}, files::kEmptyFile);
  if (!file.is_open()) return system_error("create", path, errno);
  pass_kill_point("stitch-created");
  for (const Extent& extent : join_neighbours(part.extents)) {
    if (Status status = append_extent(place, extent, file, may_go_on); !status) return status;
  }
  pass_kill_point("stitch-copied");
  if (const int problem = files::sync(file.get()); problem != 0) return system_error("write", path, problem);
  pass_kill_point("stitch-synced");
  return {};
}

}  // namespace ontime::master
