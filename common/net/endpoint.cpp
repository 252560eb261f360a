#include "common/net/endpoint.h"

#include <asio/ip/address_v6.hpp>

#include "common/base/units.h"

namespace ontime::net {
namespace {

Error not_an_endpoint(std::string_view text, const std::string& why) {
  return bad_input("'" + std::string(text) + "' is not an address: " + why);
}

Result<std::uint16_t> parse_port(std::string_view whole, std::string_view digits) {
  if (const auto port = number_in<std::uint16_t>(digits)) return *port;
  return not_an_endpoint(whole, "the port must be a number from 0 to 65535, as in 127.0.0.1:7400");
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  const bool needs_brackets = endpoint.host.find(':') != std::string::npos;
  return (needs_brackets ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

Result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port) {
  std::string_view host = text;
  std::string_view rest;  // ":PORT" or nothing
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return not_an_endpoint(text, "the bracket is not closed, as in [::1]:7400");
    host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
    asio::error_code error;
    asio::ip::make_address_v6(host, error);
    if (error) return not_an_endpoint(text, "only an IPv6 address stands in brackets, as in [::1]:7400");
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    if (text.find(':', colon + 1) != std::string_view::npos) {
      return not_an_endpoint(text, "write an IPv6 address in brackets, as in [::1]:7400");
    }
    host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  if (host.empty()) return not_an_endpoint(text, "it names no host, as in 127.0.0.1:7400");
  if (rest.empty() && default_port != 0) return Endpoint{std::string(host), default_port};
  if (!rest.starts_with(':')) return not_an_endpoint(text, "it names no port, as in 127.0.0.1:7400");
  const auto port = parse_port(text, rest.substr(1));
  if (!port) return port.error();
  return Endpoint{std::string(host), *port};
}

}  // namespace ontime::net
