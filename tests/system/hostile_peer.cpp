#include "tests/system/hostile_peer.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace ontime::test {
namespace {

// A host that keeps quiet for so long has failed the test.
constexpr timeval kPatience{60, 0};

}  // namespace

HostilePeer::HostilePeer(const std::string& address) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in host{};
  host.sin_family = AF_INET;
  host.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  host.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  is_connected_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&host), sizeof host) == 0;
}

HostilePeer::~HostilePeer() { ::close(descriptor_); }

bool HostilePeer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto size = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    said_ += bytes.substr(0, static_cast<std::size_t>(size));
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool HostilePeer::say(const google::protobuf::MessageLite& message) {
  std::string frame;
  protocol::append_frame(frame, message);
  return send(frame);
}

bool HostilePeer::greet(wire::Role role, const std::string& cluster) {
  wire::Hello hello;
  hello.set_protocol(protocol::kProtocolVersion);
  hello.set_role(role);
  hello.set_cluster(cluster);
  return say(hello);
}

std::optional<std::string> HostilePeer::next_payload() {
  for (;;) {
    const auto payload = heard_.next();
    if (!payload) return std::nullopt;
    if (*payload) return std::string(**payload);
    const auto space = heard_.space();
    const auto size = ::recv(descriptor_, space.data(), space.size(), 0);
    // A reset is an end too: the other side closed while it had bytes of ours that it never read.
    has_ended_ = size == 0 || (size < 0 && errno == ECONNRESET);
    if (size <= 0) return std::nullopt;
    heard_.received(static_cast<std::size_t>(size));
  }
}

bool HostilePeer::is_shown_out() {
  while (next_payload()) {
  }
  return has_ended_;
}

}  // namespace ontime::test
