#include "cli/result/line_reader.h"

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

Result<LineReader> LineReader::open(const std::string& path, std::size_t block_bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed("cannot read '" + path + "': " + std::strerror(errno));
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return LineReader(path, descriptor, block_bytes);
}

LineReader::LineReader(LineReader&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      block_bytes_(other.block_bytes_),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      scanned_(other.scanned_),
      end_(other.end_),
      at_end_(other.at_end_) {}

LineReader::~LineReader() {
  if (descriptor_ >= 0) close(descriptor_);
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
  do size = read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
  while (size < 0 && errno == EINTR);
  if (size < 0) return failed("cannot read '" + path_ + "': " + std::strerror(errno));
  at_end_ = size == 0;
  end_ += static_cast<std::size_t>(size);
  return {};
}

}  // namespace ontime::cli
