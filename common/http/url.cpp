#include "common/http/url.h"

#include <algorithm>

#include "common/base/units.h"

namespace ontime::http {
namespace {

constexpr std::string_view kSchemes[] = {"http://", "https://"};

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

// "." and "..", with dots written as %2e too.
bool is_dots(std::string_view name) {
  std::size_t dots = 0;
  for (; !name.empty(); ++dots) {
    if (name.starts_with('.')) {
      name.remove_prefix(1);
    } else if (name.starts_with("%2e") || name.starts_with("%2E")) {
      name.remove_prefix(3);
    } else {
      return false;
    }
  }
  return dots == 1 || dots == 2;
}

// How many bytes of the begin of `text` many servers take for a slash; 0: another character stands there.
std::size_t slash_bytes(std::string_view text) {
  if (text.starts_with('/') || text.starts_with('\\')) return 1;
  const bool is_encoded =
      text.starts_with("%2f") || text.starts_with("%2F") || text.starts_with("%5c") || text.starts_with("%5C");
  return is_encoded ? 3 : 0;
}

bool has_dots(std::string_view path) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = slash_bytes(path.substr(at));
    if (slash > 0 && is_dots(path.substr(begin, at - begin))) return true;
    at += std::max<std::size_t>(slash, 1);
    if (slash > 0) begin = at;
  }
  return is_dots(path.substr(begin));
}

// "host", "host:443" and "[::1]:443".
struct HostAndPort {
  std::string_view host;
  std::string_view port;  // with its colon
};
HostAndPort split_port(std::string_view text) {
  const std::size_t closing = text.starts_with('[') ? text.find(']') : 0;
  const std::size_t colon = std::min(text.find(':', closing), text.size());
  const std::string_view host = text.substr(0, colon);
  return {host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host, text.substr(colon)};
}

bool is_host(std::string_view text) {
  const auto [host, port] = split_port(text);
  const bool is_name = !host.empty() && host.size() <= kHostBytesMax && host.find_first_of("[]") == host.npos;
  return is_name && (port.empty() || number_in<std::uint16_t>(port.substr(1)).value_or(0) > 0);
}

}  // namespace

bool is_url(std::string_view text) {
  return std::any_of(std::begin(kSchemes), std::end(kSchemes), [&](auto scheme) { return text.starts_with(scheme); });
}

Result<Url> parse_url(std::string_view text) {
  const std::string shown = "'" + std::string(text.substr(0, 200)) + "'";
  if (!is_url(text)) return bad_input(shown + " is no http:// or https:// address.");
  if (!is_plain(text)) return bad_input("The address holds a space or another character that must be written as %XX.");
  const std::size_t host_begin = text.find("//") + 2;
  const std::size_t path_begin = std::min(text.find_first_of("/?#", host_begin), text.size());
  const std::string_view host = text.substr(host_begin, path_begin - host_begin);
  if (host.find('@') != host.npos) {
    return bad_input("The address of '" + std::string(host.substr(host.find('@') + 1)) +
                     "' holds a user or password, which would be kept with the job; leave it out.");
  }
  if (!is_host(host))
    return bad_input(shown + " names no host, one of more than " + std::to_string(kHostBytesMax) +
                     " characters, or a port that is none.");
  const std::string_view target = text.substr(path_begin);
  if (target.size() < 2 || target[0] != '/') return bad_input(shown + " names a server and no file there.");
  if (target.find('#') != target.npos) return bad_input(shown + " ends in a fragment ('#...'); leave it out.");
  const std::string_view path = target.substr(0, target.find('?'));
  if (has_dots(path)) return bad_input(shown + " holds '.' or '..' as a name; write the address without it.");
  return Url{std::string(text.substr(0, path_begin)), std::string(target), std::string(path)};
}

Server server_of(std::string_view origin) {
  const bool is_encrypted = origin.starts_with("https:");
  const auto [host, port] = split_port(origin.substr(origin.find("//") + 2));
  const std::uint16_t usual = is_encrypted ? 443 : 80;
  return {is_encrypted, std::string(host), port.empty() ? usual : number_in<std::uint16_t>(port.substr(1)).value_or(0)};
}

std::string percent_encoded(std::string_view text, std::string_view also_plain) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string encoded;
  for (const char c : text) {
    if (kPlain.find(c) != kPlain.npos || also_plain.find(c) != also_plain.npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' ? number_in<std::uint8_t>(text.substr(i + 1, 2), 16) : std::nullopt;
    const bool is_code = byte && i + 2 < text.size();
    plain += is_code ? static_cast<char>(*byte) : text[i];
    i += is_code ? 2 : 0;
  }
  return plain;
}

}  // namespace ontime::http
