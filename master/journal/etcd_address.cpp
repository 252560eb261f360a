#include "master/journal/etcd_address.h"

#include <algorithm>
#include <cstdint>

#include "common/base/wording.h"
#include "common/http/url.h"
#include "common/net/masters.h"

namespace ontime::journal {
namespace {

constexpr std::uint16_t kPort = 2379;
constexpr std::string_view kPlain = "etcd://", kEncrypted = "etcds://";

bool consists_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [others](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || others.find(c) != others.npos;
  });
}

// Each with a port; none if one of them is no host.
std::vector<std::string> hosts_in(std::string_view text) {
  const auto all = net::parse_masters(text, kPort);
  if (!all) return {};
  std::vector<std::string> hosts;
  for (const net::Endpoint& one : all->all()) {
    if (!consists_of(one.host, ".-_:") || one.host.size() > http::kHostBytesMax) return {};
    hosts.push_back(net::to_string(one));
  }
  return hosts;
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
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    const std::string_view who = rest.substr(0, at);
    const std::size_t colon = std::min(who.find(':'), who.size());
    address.user = http::percent_decoded(who.substr(0, colon));
    address.password = http::percent_decoded(who.substr(std::min(colon + 1, who.size())));
    rest.remove_prefix(at + 1);
    if (address.user.empty()) return wrong("has a password and no user");
  }
  if (!is_etcd_address(text)) return wrong("does not begin with etcd:// or etcds://");
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  address.hosts = hosts_in(rest.substr(0, slash));
  if (address.hosts.empty()) return wrong("names a host that is none");
  address.prefix = rest.substr(std::min(slash + 1, rest.size()));
  while (address.prefix.ends_with('/')) address.prefix.pop_back();
  if (address.prefix.empty()) return wrong("has no prefix, under which the journal's keys are");
  if (address.prefix.starts_with('/') || !consists_of(address.prefix, "._-/"))
    return wrong("has a prefix that is not of letters, digits, '.', '_', '-' and single slashes");
  return address;
}

}  // namespace ontime::journal
