#include "master/inputs/input_path.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

#include "common/base/units.h"
#include "master/inputs/input_file.h"

namespace ontime::master {
namespace {

constexpr std::string_view kScheme = "file://";

Error no_address(const std::string& argument) {
  for (const char* other : {"s3a://", "s3n://"}) {
    if (argument.starts_with(other)) return bad_input("The input " + shown(argument) + " is an object; write s3://.");
  }
  return bad_input("The input " + shown(argument) +
                   " names a scheme that Ontime cannot read; give a path or a file://, https://, s3:// or hdfs:// "
                   "address.");
}

Result<std::string> written_out(const std::string& argument) {
  const std::size_t colon = argument.find("://");
  if (colon == argument.npos || argument.find('/') < colon) return argument;
  if (!argument.starts_with(kScheme)) return no_address(argument);
  std::string_view rest = std::string_view(argument).substr(kScheme.size());
  if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
  if (!rest.starts_with('/'))
    return bad_input("The input " + shown(argument) +
                     " names another host; write file:///path for a file of this one.");
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '%') {
      path += rest[i];
      continue;
    }
    const auto byte = i + 2 < rest.size() ? number_in<unsigned char>(rest.substr(i + 1, 2), 16) : std::nullopt;
    if (!byte) return bad_input("The input " + shown(argument) + " holds a '%' without two hexadecimal digits.");
    path += static_cast<char>(*byte);
    i += 2;
  }
  return path;
}

bool is_of_process(const std::string& path) {
  constexpr std::array<std::string_view, 4> kBelow{"/dev/fd/", "/dev/std", "/proc/self/", "/proc/thread-self/"};
  const std::string plain = std::filesystem::path(path).lexically_normal().string();
  return std::any_of(kBelow.begin(), kBelow.end(), [&](auto place) { return plain.starts_with(place); });
}

}  // namespace

Result<std::string> path_of(const std::string& argument) {
  Result<std::string> path = written_out(argument);
  if (!path) return path;
  if (path->empty() || path->front() != '/' || path->find('\0') != path->npos)
    return bad_input("The input " + shown(argument) + " is not an absolute path.");
  if (is_of_process(*path))
    return bad_input("The input " + shown(argument) +
                     " is another file to each process that opens it; give - for standard input.");
  return path;
}

}  // namespace ontime::master
