#include "apps/exec/command.h"

#include <charconv>
#include <cstdio>

namespace ontime::apps {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// What stands before `separator`, which is taken too; all if there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(part.size() == text.size() ? part.size() : part.size() + 1);
  return part;
}

}  // namespace

void StderrLines::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t feed = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, feed);
    bytes.remove_prefix(feed == std::string_view::npos ? bytes.size() : feed + 1);
    partial_ += piece;
    if (feed == std::string_view::npos && partial_.size() < kMaxLine) break;
    take_line(partial_);
    partial_.clear();
  }
}

void StderrLines::finish() {
  if (!partial_.empty()) take_line(partial_);
  partial_.clear();
}

void StderrLines::take_line(std::string_view line) {
  if (report(line)) return;
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
}

// False when the line is none of the two that are known, or malformed.
bool StderrLines::report(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (take_prefix(line, "reporter:counter:")) return count(line);
  if (!take_prefix(line, "reporter:status:")) return false;
  context_.set_status(line);
  return true;
}

bool StderrLines::count(std::string_view arguments) {
  const std::string_view group = take_until(arguments, ',');
  const std::string_view name = take_until(arguments, ',');
  std::uint64_t amount = 0;
  const auto [end, error] = std::from_chars(arguments.data(), arguments.data() + arguments.size(), amount);
  if (group.empty() || name.empty() || error != std::errc{} || end != arguments.data() + arguments.size()) return false;
  context_.counter(group, name) += amount;
  return true;
}

}  // namespace ontime::apps
