#include "common/files/roots.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/base/wording.h"
#include "common/http/url.h"
#include "common/store/name.h"

namespace ontime::files {
namespace {

namespace fs = std::filesystem;

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool is_in(std::string_view path, std::string_view root) {
  if (root == "/") return path.starts_with('/');
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

bool is_in_any(std::string_view path, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](const std::string& root) { return is_in(path, root); });
}

bool is_address(std::string_view text) { return http::is_url(text) || store::is_name(text); }

}  // namespace

Result<Roots> Roots::make(const std::vector<std::string>& directories) {
  Roots roots;
  for (const std::string& directory : directories) {
    if (is_address(directory)) {
      const auto url = http::parse_url(without_slash(directory) + "/x");
      if (http::is_url(directory) && !url) return url.error();
      const auto name = store::parse_name(directory);
      if (store::is_name(directory) && !name) return name.error();
      roots.given_.push_back(without_slash(directory));
      roots.resolved_.push_back(without_slash(name ? name->text() : directory));
      continue;
    }
    if (!directory.starts_with('/')) return bad_input("'" + directory + "' is not an absolute path.");
    std::error_code error;
    const fs::path real = fs::canonical(directory, error);
    if (error) return bad_input("'" + directory + "' cannot be used: " + error.message() + ".");
    if (!fs::is_directory(real, error)) return bad_input("'" + directory + "' is not a directory.");
    roots.given_.push_back(without_slash(fs::path(directory).lexically_normal().string()));
    roots.resolved_.push_back(real.string());
  }
  return roots;
}

Result<JobRoots> JobRoots::make(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  auto input = Roots::make(inputs);
  if (!input) return bad_input("--input-root: " + input.error().message);
  auto output = Roots::make(outputs);
  if (!output) return bad_input("--output-root: " + output.error().message);
  return JobRoots{std::move(*input), std::move(*output)};
}

Roots Roots::of_resolved(std::vector<std::string> directories) {
  Roots roots;
  roots.given_ = directories;
  roots.resolved_ = std::move(directories);
  return roots;
}

bool Roots::hold(std::string_view path) const { return are_everywhere() || is_in_any(path, resolved_); }

bool Roots::seem_to_hold(std::string_view path) const {
  if (is_address(path)) return hold(path);
  const std::string normal = fs::path(path).lexically_normal().string();
  return hold(normal) || is_in_any(normal, given_);
}

bool Roots::hold_inside(std::string_view path) const {
  return hold(path) && std::find(resolved_.begin(), resolved_.end(), path) == resolved_.end();
}

std::string Roots::text() const { return listed(given_); }

std::string growing_version_of(const struct stat& status) { return "grows " + std::to_string(status.st_ino); }

bool is_growing(const std::string& version) { return version.starts_with("grows "); }

std::string version_of(const struct stat& status) {
  return std::to_string(std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec);
}

}  // namespace ontime::files
