#include "common/protocol/version.h"

#include <algorithm>

namespace ontime::protocol {
namespace {

constexpr std::size_t kReleaseBytesMax = 32;

bool is_release(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '+' || c == '~';
  };
  return !text.empty() && text.size() <= kReleaseBytesMax && std::all_of(text.begin(), text.end(), fits);
}

// What one would install to have it.
std::string product(Version version, std::string_view release, Version ours) {
  if (is_release(release)) return "Ontime " + std::string(release);
  return version < ours ? "an older Ontime" : "a newer Ontime";
}

}  // namespace

std::string_view release() { return ONTIME_VERSION; }

std::string describe(Version version, std::string_view release, Version ours) {
  return product(version, release, ours) + " (protocol " + std::to_string(version.major_version) + "." +
         std::to_string(version.minor_version) + ")";
}

std::string describe_own_version() { return describe(kVersion, release()); }

std::string describe_mismatch(std::string_view role, Version ours, Version version, std::string_view release) {
  const std::string peer(role);
  const std::string our_release = "Ontime " + std::string(protocol::release());
  const std::string advice = version < ours ? "upgrade the " + peer + " to " + our_release
                                            : "upgrade the master, or use " + our_release + " for the " + peer;
  return "the " + peer + " is " + describe(version, release, ours) + " and this master is " +
         describe(ours, protocol::release()) + ", which do not understand each other; " + advice;
}

std::string describe_unknown_request(Version version, std::string_view release) {
  return "This master is " + describe_own_version() + " and does not know all that its client, " +
         describe(version, release) + ", asks for; upgrade the master, or use Ontime " +
         std::string(protocol::release()) + " for the client.";
}

}  // namespace ontime::protocol
