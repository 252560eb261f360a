#include "master/journal/etcd_address.h"

#include <algorithm>
#include <cstdint>

#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/http/url.h"

namespace ontime::journal {
namespace {

constexpr std::string_view kPlain = "etcd://", kEncrypted = "etcds://";

bool consists_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [others](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || others.find(c) != others.npos;
  });
}

// With a port; empty if it is no host.
std::string host_of(std::string_view text) {
  const bool is_in_brackets = text.starts_with('[');
  const std::size_t name_end = is_in_brackets ? text.find(']') + 1 : std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, name_end), rest = text.substr(name_end);
  const bool is_name = is_in_brackets ? name.size() > 2 && consists_of(name.substr(1, name.size() - 2), ":.")
                                      : !name.empty() && consists_of(name, ".-_");
  if (!is_name || name.size() > http::kHostBytesMax) return {};
  if (rest.empty()) return std::string(name) + ":2379";
  const auto port = number_in<std::uint16_t>(rest.substr(1));
  return rest[0] == ':' && port.value_or(0) > 0 ? std::string(name) + ":" + std::to_string(*port) : std::string();
}

}  // namespace

std::string EtcdAddress::text() const {
  std::string all(is_encrypted ? kEncrypted : kPlain);
  for (const std::string& host : hosts) all += (&host == &hosts.front() ? "" : ",") + host;
  return all + "/" + prefix;
}

bool is_etcd_address(std::string_view text) { return text.starts_with(kPlain) || text.starts_with(kEncrypted); }

Result<EtcdAddress> parse_etcd_address(const std::string& text) {
  EtcdAddress address;
  address.is_encrypted = text.starts_with(kEncrypted);
  std::string_view rest(text);
  rest.remove_prefix(std::min(rest.size(), (address.is_encrypted ? kEncrypted : kPlain).size()));
  // Without what may be a password.
  const auto wrong = [&](const std::string& what) {
    return bad_input("The address " + in_quotes(text.substr(0, text.find("//") + 2) + std::string(rest)) + " " + what +
                     "; a journal in etcd is etcd://host:2379,host:2379/prefix.");
  };
  if (const std::size_t at = rest.find('@'); at != rest.npos) {
    const std::string_view who = rest.substr(0, at);
    const std::size_t colon = std::min(who.find(':'), who.size());
    address.user = http::percent_decoded(who.substr(0, colon));
    address.password = http::percent_decoded(who.substr(std::min(colon + 1, who.size())));
    rest.remove_prefix(at + 1);
    if (address.user.empty()) return wrong("has a password and no user");
  }
  if (!is_etcd_address(text)) return wrong("does not begin with etcd:// or etcds://");
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  for (std::size_t at = 0; at <= slash;) {
    const std::size_t end = std::min(rest.find(',', at), slash);
    address.hosts.push_back(host_of(rest.substr(at, end - at)));
    if (address.hosts.back().empty()) return wrong("names a host that is none");
    at = end + 1;
  }
  address.prefix = rest.substr(std::min(slash + 1, rest.size()));
  while (address.prefix.ends_with('/')) address.prefix.pop_back();
  if (address.prefix.empty()) return wrong("has no prefix, under which the journal's keys are");
  if (address.prefix.starts_with('/') || !consists_of(address.prefix, "._-/"))
    return wrong("has a prefix that is not of letters, digits, '.', '_', '-' and single slashes");
  return address;
}

}  // namespace ontime::journal
