#pragma once
// Addresses of files that web servers have.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace ontime::http {

struct Url {
  std::string origin;  // "https://host:443": whom to connect to
  std::string target;  // "/path?query", as it is sent
  std::string path;    // "/path"
};

// Whom an origin names.
struct Server {
  bool is_encrypted = false;
  std::string host;  // without the brackets of an address of version 6
  std::uint16_t port = 0;
};
Server server_of(std::string_view origin);

inline constexpr std::size_t kHostBytesMax = 255;

// Whether it begins with a scheme that is read here.
bool is_url(std::string_view text);

// BadInput for what is no http:// or https:// address of a file, or could mean another than it seems to: with a user, a
// fragment, a space or control character, or with "." or ".." between slashes.
Result<Url> parse_url(std::string_view text);

// As it has to be written in an address. `also_plain`: characters, beside letters, digits and "-._~", that stay.
std::string percent_encoded(std::string_view text, std::string_view also_plain = "");
std::string percent_decoded(std::string_view text);  // "%41" is "A"

}  // namespace ontime::http
