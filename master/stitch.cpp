#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/base/kill_point.h"
#include "master/file_system.h"
#include "master/output_directory.h"

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
      const ssize_t copied = ::copy_file_range(from_, &offset_, to_, nullptr, std::min(length, kStepBytes), 0);
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
    for (ssize_t done = 0; done < got;) {
      const ssize_t written = ::write(to_, buffer_.data() + done, static_cast<std::size_t>(got - done));
      if (written < 0 && errno != EINTR) return written;
      done += std::max<ssize_t>(written, 0);
    }
    offset_ += std::max<ssize_t>(got, 0);
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
  const Descriptor from(::openat(place.directory, extent.file.c_str(), O_RDONLY | kPlainFile));
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
  const Descriptor file(::openat(place.directory, name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | kPlainFile, 0644));
  if (!file.is_open()) return system_error("create", path, errno);
  pass_kill_point("stitch-created");
  for (const Extent& extent : join_neighbours(part.extents)) {
    if (Status status = append_extent(place, extent, file, may_go_on); !status) return status;
  }
  pass_kill_point("stitch-copied");
  if (::fsync(file.get()) != 0) return system_error("write", path, errno);
  pass_kill_point("stitch-synced");
  return {};
}

}  // namespace ontime::master
