#pragma once
// Which programs understand each other: those of one major version of the protocol, whatever their minor versions.
//
// A minor version adds. What an older peer does not know, it ignores, as protobuf does: a field, or a whole message
// that only informs. Two things must not be ignored in part: what a client asks for, and what a job needs of the worker
// that runs it. If something in such a message must be understood, its sender says which minor version does
// (`needs_minor`), and an older peer refuses it. A new kind of order or report is sent only to a peer whose minor
// version has it. Whatever else changes the meaning of a message is a new major version.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace ontime::protocol {

// Not `major` and `minor`: those are macros of <sys/sysmacros.h>.
struct Version {
  std::uint32_t major_version = 0;
  std::uint32_t minor_version = 0;
  auto operator<=>(const Version&) const = default;
};

inline constexpr Version kVersion{8, 0};
inline constexpr Version kAdviceVersion{2, 0};  // of advise.proto

// Whether this program understands a message that needs that minor version.
constexpr bool is_understood(std::uint32_t needs_minor) { return needs_minor <= kVersion.minor_version; }

// Of this program, such as "0.1.0".
std::string_view release();

// Fills in what a Hello and a HelloReply say of their sender, unless it is there.
template <class Greeting>
void set_version(Greeting& greeting, Version version = kVersion) {
  if (greeting.protocol() != 0) return;
  greeting.set_protocol(version.major_version);
  greeting.set_protocol_minor(version.minor_version);
  greeting.set_release(release().data(), release().size());
}

template <class Greeting>
Version version_of(const Greeting& greeting) {
  return {greeting.protocol(), greeting.protocol_minor()};
}

// "Ontime 0.1.0 (protocol 7.0)". A peer's release may be anything; what is none is left out.
std::string describe(Version version, std::string_view release, Version ours = kVersion);
std::string describe_own_version();

// Why a peer with that role's name and another major version cannot be talked to, and what to do.
std::string describe_mismatch(std::string_view role, Version ours, Version version, std::string_view release);

// The same for a client of a minor version that asks for more than this master knows.
std::string describe_unknown_request(Version version, std::string_view release);

}  // namespace ontime::protocol
