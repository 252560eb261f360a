#include "cli/result/answer_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "common/base/units.h"
#include "common/files/disk.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kBufferBytes = 128u << 10;
constexpr std::size_t kLineShown = 80;

std::optional<double> number_behind_last_tab(std::string_view line) {
  const auto tab = line.rfind('\t');
  if (tab == std::string_view::npos) return {};
  const auto value = number_in<double>(line.substr(tab + 1));
  return value && std::isnan(*value) ? std::nullopt : value;
}

}  // namespace

DescriptorOutput::DescriptorOutput(int descriptor, std::string shown_name)
    : descriptor_(descriptor), shown_name_(std::move(shown_name)), buffer_(kBufferBytes) {
  next_ = buffer_.data();
  end_ = next_ + buffer_.size();
}

void DescriptorOutput::flush() {
  const std::string_view left(buffer_.data(), buffered());
  next_ = buffer_.data();
  flushed_ += left.size();
  const int problem = status_ ? files::append(descriptor_, left) : 0;
  if (problem != 0) status_ = failed("cannot write to " + shown_name_ + ": " + std::strerror(problem));
}

void DescriptorOutput::make_room(std::size_t size) {
  flush();
  if (size > buffer_.size()) buffer_.resize(size);
  next_ = buffer_.data();
  end_ = next_ + buffer_.size();
}

Status DescriptorOutput::finish() {
  flush();
  return status_;
}

TopOutput::TopOutput(std::uint64_t most) : most_(most), buffer_(kBufferBytes) {
  next_ = buffer_.data();
  end_ = next_ + buffer_.size();
}

void TopOutput::make_room(std::size_t size) {
  take_lines();
  const auto used = static_cast<std::size_t>(next_ - buffer_.data());
  if (buffer_.size() - used < size) buffer_.resize(used + size);
  next_ = buffer_.data() + used;
  end_ = buffer_.data() + buffer_.size();
}

// Whole lines leave the buffer; the begin of one that is not complete stays.
void TopOutput::take_lines() {
  std::string_view left(buffer_.data(), static_cast<std::size_t>(next_ - buffer_.data()));
  for (auto feed = left.find('\n'); feed != std::string_view::npos; feed = left.find('\n')) {
    take(left.substr(0, feed));
    left.remove_prefix(feed + 1);
  }
  std::memmove(buffer_.data(), left.data(), left.size());
  next_ = buffer_.data() + left.size();
}

void TopOutput::take(std::string_view line) {
  const auto value = number_behind_last_tab(line);
  if (!value) {
    if (status_)
      status_ = bad_input("--top needs a number behind the tab of every line, and '" +
                          std::string(line.substr(0, kLineShown)) + "' has none");
    return;
  }
  if (kept_.size() == most_ && *value < kept_.top().value) return;
  kept_.push({*value, std::string(line)});
  if (kept_.size() > most_) kept_.pop();
}

Status TopOutput::finish(app::Output& to) {
  take_lines();
  if (next_ != buffer_.data()) take({buffer_.data(), static_cast<std::size_t>(next_ - buffer_.data())});
  if (!status_) return status_;
  std::vector<std::string> lines;
  for (; !kept_.empty(); kept_.pop()) lines.push_back(kept_.top().line);
  std::reverse(lines.begin(), lines.end());
  for (const auto& line : lines) to.write(line + "\n");
  return {};
}

Result<AnswerFile> AnswerFile::make(const std::string& path, bool may_replace) {
  if (path.empty() || path == kStandardOutput) return AnswerFile("stdout", "", STDOUT_FILENO);
  struct stat status {};
  const bool is_there = stat(path.c_str(), &status) == 0;
  const bool is_special = is_there && !S_ISREG(status.st_mode);
  if (is_there && !is_special && !may_replace) return bad_input("'" + path + "' exists already; --force replaces it");
  const auto unfinished = is_special ? "" : path + "." + std::to_string(getpid()) + ".tmp";
  const auto& opened = is_special ? path : unfinished;
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (is_special ? 0 : O_TRUNC);
  const int descriptor = files::open(opened, flags, 0666).release();
  if (descriptor < 0) return bad_input("cannot write to '" + path + "': " + std::strerror(errno));
  return AnswerFile(path, unfinished, descriptor);
}

AnswerFile::AnswerFile(AnswerFile&& other) noexcept
    : path_(std::move(other.path_)),
      unfinished_(std::exchange(other.unfinished_, "")),
      descriptor_(std::exchange(other.descriptor_, STDOUT_FILENO)) {}

AnswerFile::~AnswerFile() {
  if (descriptor_ != STDOUT_FILENO) close(descriptor_);
  if (!unfinished_.empty()) files::remove(unfinished_);
}

Status AnswerFile::publish() {
  if (unfinished_.empty()) return {};
  if (const int problem = files::rename(unfinished_, path_); problem != 0)
    return failed("cannot write to '" + path_ + "': " + std::strerror(problem));
  unfinished_.clear();
  return {};
}

}  // namespace ontime::cli
