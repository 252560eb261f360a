#include "worker/agent/stderr_tail.h"

#include <algorithm>

#include "worker/agent/text.h"

namespace ontime::worker {

void StderrTail::append(std::string_view bytes) {
  bytes_seen_ += bytes.size();
  if (bytes.size() > kKeptBytesMax) bytes.remove_prefix(bytes.size() - kKeptBytesMax);
  const std::size_t room = std::min(bytes.size(), kKeptBytesMax - ring_.size());
  ring_.append(bytes.substr(0, room));
  for (bytes.remove_prefix(room); !bytes.empty();) {
    const std::size_t piece = std::min(bytes.size(), kKeptBytesMax - oldest_);
    std::copy_n(bytes.begin(), piece, ring_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    oldest_ = (oldest_ + piece) % kKeptBytesMax;
    bytes.remove_prefix(piece);
  }
}

void StderrTail::clear() {
  ring_.clear();
  oldest_ = 0;
  bytes_seen_ = 0;
}

std::string StderrTail::kept() const { return ring_.substr(oldest_) + ring_.substr(0, oldest_); }

std::string StderrTail::after(std::uint64_t from) const {
  const std::uint64_t first = bytes_seen_ - ring_.size();
  return kept().substr(from > first ? static_cast<std::size_t>(std::min(from, bytes_seen_) - first) : 0);
}

std::string StderrTail::text() const {
  const std::string whole = to_utf8(kept());
  std::string_view tail = tail_of(whole, kReportedBytesMax);
  if (tail.size() == whole.size() && bytes_seen_ <= kKeptBytesMax) return whole;
  const std::size_t line_end = tail.find('\n');
  if (line_end != std::string_view::npos && line_end + 1 < tail.size()) tail.remove_prefix(line_end + 1);
  return std::string(tail);
}

}  // namespace ontime::worker
