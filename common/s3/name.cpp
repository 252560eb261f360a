#include "common/s3/name.h"

#include <algorithm>

namespace ontime::s3 {
namespace {

constexpr std::string_view kScheme = "s3://";
constexpr std::size_t kKeyBytesMax = 1024;

bool may_name_bucket(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

bool is_bucket(std::string_view bucket) {
  const auto is_end = [](char c) { return c != '-' && c != '.'; };
  return bucket.size() >= 3 && bucket.size() <= 63 && std::all_of(bucket.begin(), bucket.end(), may_name_bucket) &&
         is_end(bucket.front()) && is_end(bucket.back()) && bucket.find("..") == bucket.npos;
}

// Stores take such keys, but programs on the way to them change them.
bool has_dots(std::string_view key) {
  while (true) {
    const std::size_t end = std::min(key.find('/'), key.size());
    const std::string_view part = key.substr(0, end);
    if (part == "." || part == "..") return true;
    if (end == key.size()) return false;
    key.remove_prefix(end + 1);
  }
}

}  // namespace

bool is_name(std::string_view text) { return text.starts_with(kScheme); }

Result<Name> parse_name(std::string_view text) {
  const std::string shown = "'" + std::string(text.substr(0, 200)) + "'";
  if (!is_name(text)) return bad_input(shown + " is no s3://bucket/key.");
  const std::string_view rest = text.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view bucket = rest.substr(0, slash);
  const std::string_view key = slash < rest.size() ? rest.substr(slash + 1) : std::string_view();
  if (key.find('\0') != key.npos) return bad_input("The name of an object holds a NUL, which no key has.");
  if (!is_bucket(bucket)) {
    return bad_input(shown + " names no bucket: a bucket has 3 to 63 lower-case letters, digits, '-' and '.'.");
  }
  if (key.size() > kKeyBytesMax) return bad_input(shown + "... is longer than a key of S3 can be (1024 bytes).");
  if (has_dots(key)) return bad_input(shown + " holds '.' or '..' as a name; write it without.");
  return Name{std::string(kScheme) + std::string(bucket), std::string(key)};
}

}  // namespace ontime::s3
