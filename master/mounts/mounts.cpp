#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "master/mounts/file_system.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

constexpr int kLinksMax = 40;  // as the kernel has it

// Spaces and the like are written as \040.
std::string unescaped(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '7'; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 3 < text.size() && is_digit(text[i + 1]) && is_digit(text[i + 2]) &&
                           is_digit(text[i + 3]);
    if (!is_escape) {
      result += text[i];
      continue;
    }
    result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return result;
}

std::optional<fs::path> link_at(const fs::path& path) {
  std::array<char, 4096> target;
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size <= 0) return std::nullopt;
  return fs::path(std::string(target.data(), static_cast<std::size_t>(size)));
}

// The path with its first link on the way replaced, looked for below `mount` only; nothing if there is none.
std::optional<std::string> follow_one(const fs::path& path, const fs::path& mount) {
  fs::path at = mount;
  const fs::path rest = path.lexically_relative(mount);
  for (auto part = rest.begin(); part != rest.end(); ++part) {
    at /= *part;
    const std::optional<fs::path> target = link_at(at);
    if (!target) continue;
    fs::path next = target->is_absolute() ? *target : at.parent_path() / *target;
    for (auto more = std::next(part); more != rest.end(); ++more) next /= *more;
    return next.lexically_normal().string();
  }
  return std::nullopt;
}

}  // namespace

Mounts::Mounts(std::vector<std::string> points) : points_(std::move(points)) {}

Mounts Mounts::of_this_process() {
  std::vector<std::string> points;
  std::ifstream table("/proc/self/mountinfo");
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 5; ++i) fields >> field;
    points.push_back(unescaped(field));
  }
  return Mounts(std::move(points));
}

std::string Mounts::of(std::string_view path) const {
  if (const std::size_t scheme = path.find("://"); !path.starts_with('/') && scheme != path.npos)
    return std::string(path.substr(0, path.find('/', scheme + 3)));
  std::string_view longest = "/";
  for (const std::string& point : points_) {
    const bool is_below = path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
    if (is_below && point.size() > longest.size()) longest = point;
  }
  return std::string(longest);
}

std::string Mounts::follow(const std::string& path) const {
  if (!path.starts_with('/')) return path;  // an address
  std::string now = fs::path(path).lexically_normal().string();
  const std::string mount = of(now);
  for (int links = 0; links < kLinksMax && of(now) == mount; ++links) {
    std::optional<std::string> next = follow_one(now, mount);
    if (!next) break;
    now = std::move(*next);
  }
  return now;
}

}  // namespace ontime::master
