#include "cli/result/part_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ontime::cli {
namespace {

constexpr std::size_t kLineBytesMost = 1u << 30;

}  // namespace

Result<LineReader> LineReader::open(const PartFile& part, std::size_t block_bytes) {
  auto file = open_part(part);
  if (!file) return file.error();
  posix_fadvise((*file)->get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return LineReader(part, std::move(*file), block_bytes);
}

Result<std::optional<std::string_view>> LineReader::next() {
  for (;;) {
    const char* from = buffer_.data() + scanned_;
    const void* feed = end_ > scanned_ ? std::memchr(from, '\n', end_ - scanned_) : nullptr;
    if (feed != nullptr || (at_end_ && begin_ < end_)) {
      const char* first = buffer_.data() + begin_;
      const char* last = feed != nullptr ? static_cast<const char*>(feed) : buffer_.data() + end_;
      const auto size = static_cast<std::size_t>(last - first);
      begin_ = scanned_ = feed != nullptr ? begin_ + size + 1 : end_;
      return std::optional(std::string_view(first, size));
    }
    if (at_end_) return std::optional<std::string_view>();
    scanned_ = end_;
    if (auto status = fill(); !status) return status.error();
  }
}

Status LineReader::fill() {
  if (end_ - begin_ > kLineBytesMost) return failed("'" + path_ + "' has a line longer than 1 GiB, which is no answer");
  if (begin_ != 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  scanned_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < end_ + block_bytes_) buffer_.resize(std::max(end_ + block_bytes_, 2 * end_));
  ssize_t size = 0;
  do size = read(file_->get(), buffer_.data() + end_, buffer_.size() - end_);
  while (size < 0 && errno == EINTR);
  if (size < 0) return failed("cannot read '" + path_ + "': " + std::strerror(errno));
  const std::string_view bytes(buffer_.data() + end_, static_cast<std::size_t>(size));
  at_end_ = size == 0;
  end_ += bytes.size();
  return at_end_ ? check_.finish() : check_.add(bytes);
}

}  // namespace ontime::cli
