#pragma once
// What one end of a TLS connection is known by and believes, in PEM files.

#include <string>

namespace ontime {

struct TlsFiles {
  std::string authority{};  // whose certificates are believed
  std::string certificate{};
  std::string key{};
};

}  // namespace ontime
