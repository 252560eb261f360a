#pragma once
// Addresses as people write them.

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace ontime::net {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};
std::string to_string(const Endpoint& endpoint);  // "host:port", "[::1]:port"

// "HOST:PORT", "[IPV6]:PORT", or "HOST" when `default_port` is not 0.
Result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port);

}  // namespace ontime::net
