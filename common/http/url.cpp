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

bool has_dots(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // a slash
    const std::size_t end = std::min(path.find('/'), path.size());
    if (is_dots(path.substr(0, end))) return true;
    path.remove_prefix(end);
  }
  return false;
}

bool is_port(std::string_view text) { return number_in<std::uint16_t>(text).value_or(0) > 0; }

bool is_host(std::string_view host) {
  const std::size_t closing = host.starts_with('[') ? host.find(']') : 0;
  if (closing == host.npos) return false;
  const std::size_t colon = host.find(':', closing);
  return colon != 0 && (colon == host.npos || is_port(host.substr(colon + 1)));
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
  if (host.empty() || !is_host(host)) return bad_input(shown + " names no host, or a port that is none.");
  const std::string_view target = text.substr(path_begin);
  if (target.size() < 2 || target[0] != '/') return bad_input(shown + " names a server and no file there.");
  if (target.find('#') != target.npos) return bad_input(shown + " ends in a fragment ('#...'); leave it out.");
  const std::string_view path = target.substr(0, target.find('?'));
  if (has_dots(path)) return bad_input(shown + " holds '.' or '..' as a name; write the address without it.");
  return Url{std::string(text.substr(0, path_begin)), std::string(target), std::string(path)};
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

}  // namespace ontime::http
