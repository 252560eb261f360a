#include "worker/agent/runners/text.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "common/base/utf8.h"

namespace ontime::worker {

std::string describe_process_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const char* name = sigdescr_np(signal);
    std::string text = "was killed by signal " + std::to_string(signal);
    if (name != nullptr) text += " (" + std::string(name) + ")";
    if (signal == SIGKILL) text += ", not by this worker; perhaps the machine ran out of memory (see dmesg)";
    return text;
  }
  const int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : wait_status;
  if (code == 0) return "exited without finishing; the application must not end the process itself";
  return "exited with status " + std::to_string(code) + " before it had finished";
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_character(bytes);
    text += length > 0 ? bytes.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::string_view head_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && is_utf8_continuation(text[bytes_max])) --bytes_max;
  return text.substr(0, bytes_max);
}

std::string_view tail_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  text.remove_prefix(text.size() - bytes_max);
  while (!text.empty() && is_utf8_continuation(text.front())) text.remove_prefix(1);
  return text;
}

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
  std::string whole = to_utf8(kept());
  std::string_view tail = tail_of(whole, kReportedBytesMax);
  if (tail.size() == whole.size() && bytes_seen_ <= kKeptBytesMax) return whole;
  const std::size_t line_end = tail.find('\n');
  if (line_end != std::string_view::npos && line_end + 1 < tail.size()) tail.remove_prefix(line_end + 1);
  return std::string(tail);
}

}  // namespace ontime::worker
