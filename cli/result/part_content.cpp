#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/result/part_file.h"
#include "common/base/crc32c.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kStoredBytes = 256u << 10;

}  // namespace

PartContent::PartContent(const PartFile& part, std::shared_ptr<Descriptor> file, std::uint64_t size)
    : path_(part.path),
      codec_(part.codec),
      segments_(part.task->segments),
      file_(std::move(file)),
      read_(read_range(file_->get(), 0, size)),
      decompressor_(frames::make_decompressor(part.codec)) {
  if (decompressor_) buffer_.resize(kStoredBytes);
}

Result<std::shared_ptr<PartContent>> PartContent::open(const PartFile& part) {
  auto file = open_part(part);
  if (!file) return file.error();
  struct stat status {};
  if (fstat((*file)->get(), &status) != 0) return failed("cannot read '" + part.path + "': " + std::strerror(errno));
  posix_fadvise((*file)->get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::shared_ptr<PartContent>(
      new PartContent(part, std::move(*file), static_cast<std::uint64_t>(status.st_size)));
}

Result<std::size_t> PartContent::read(char* to, std::size_t most) {
  return decompressor_ ? decompress(to, most) : read_stored(to, most);
}

Result<std::size_t> PartContent::read_stored(char* to, std::size_t most) {
  auto got = read_(to, most);
  if (!got) return failed("cannot read '" + path_ + "': " + got.error().message);
  if (auto status = check({to, *got}); !status) return status.error();
  return got;
}

Status PartContent::check(std::string_view stored) {
  const bool is_end = stored.empty();
  for (;;) {
    if (auto status = end_checked_segments(); !status) return status;
    if (stored.empty()) break;
    if (segment_ == segments_.size()) return failed("part file '" + path_ + "' has grown while it was read");
    const auto size = std::min<std::uint64_t>(stored.size(), segments_[segment_].length - done_);
    crc_ = crc32c(crc_, stored.data(), size);
    done_ += size;
    stored.remove_prefix(size);
  }
  if (is_end && segment_ < segments_.size())
    return failed("part file '" + path_ + "' has become shorter while it was read");
  return {};
}

Status PartContent::end_checked_segments() {
  for (; segment_ < segments_.size() && segments_[segment_].length == done_; ++segment_) {
    const output::Segment& segment = segments_[segment_];
    if (crc_ != segment.crc32c) return failed(checksum_problem(path_, segment, crc_));
    done_ = 0;
    crc_ = 0;
  }
  return {};
}

// Nothing but what the segment is to hold comes out: a frame may hold any amount.
Result<std::size_t> PartContent::decompress(char* to, std::size_t most) {
  for (;;) {
    while (frame_ < segments_.size() && frame_done_ == 0 && segments_[frame_].length == 0) ++frame_;
    const auto step = decompressor_->decompress(stored_, to, most);
    stored_.remove_prefix(step.consumed);
    frame_done_ += step.consumed;
    content_done_ += step.produced;
    if (step.error != nullptr) return damaged(step.error);
    if (step.produced > 0 && (frame_ == segments_.size() || content_done_ > segments_[frame_].content_length()))
      return damaged("it holds more than the job wrote");
    if (step.ends_frame) {
      if (auto status = end_frame(); !status) return status.error();
    }
    if (step.produced > 0) return step.produced;
    if (step.consumed > 0) continue;
    const auto got = read_stored(buffer_.data(), buffer_.size());
    if (!got) return got.error();
    if (*got == 0 && frame_done_ > 0) return damaged("it has no end");
    if (*got == 0) return std::size_t{0};
    stored_ = {buffer_.data(), *got};
  }
}

Status PartContent::end_frame() {
  if (frame_ == segments_.size() || frame_done_ != segments_[frame_].length ||
      content_done_ != segments_[frame_].content_length())
    return damaged("it ends elsewhere than the job ended it");
  frame_done_ = content_done_ = 0;
  ++frame_;
  return {};
}

Error PartContent::damaged(const std::string& why) const {
  const std::uint64_t begin = frame_ < segments_.size() ? segments_[frame_].offset : 0;
  const std::uint64_t end = frame_ < segments_.size() ? begin + segments_[frame_].length : 0;
  return failed("part file '" + path_ + "', bytes " + std::to_string(begin) + " to " + std::to_string(end) + ": its " +
                (codec_ == Codec::Gzip ? "gzip member" : "zstd frame") + " is damaged (" + why +
                "); the output was changed after the job");
}

}  // namespace ontime::cli
