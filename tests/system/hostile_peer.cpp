#include "tests/system/hostile_peer.h"

#include <sys/socket.h>

#include <cerrno>

#include "common/net/token.h"

namespace ontime::test {

HostilePeer::HostilePeer(const std::string& address) : socket_(address.substr(address.rfind(':') + 1)) {}

bool HostilePeer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto size = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
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

bool HostilePeer::greet(wire::Role role, const std::string& cluster, const std::string& token) {
  wire::Hello hello;
  hello.set_protocol(role == wire::APPLICATION_MASTER ? protocol::kAdviceVersion : protocol::kProtocolVersion);
  hello.set_role(role);
  hello.set_cluster(cluster);
  hello.set_nonce(net::random_bytes(net::kNonceBytes));
  if (!say(hello)) return false;
  const auto challenge = hear<wire::Challenge>();
  if (!challenge) return false;
  wire::Proof proof;
  if (!token.empty()) {
    proof.set_proof(net::make_proof(net::Side::Guest, token, {hello.SerializeAsString(), challenge->nonce()}));
  }
  return say(proof);
}

std::optional<std::string> HostilePeer::next_payload() {
  for (;;) {
    const auto payload = heard_.next();
    if (!payload) return std::nullopt;
    if (*payload) return std::string(**payload);
    const auto space = heard_.space();
    const auto size = ::recv(socket_.get(), space.data(), space.size(), 0);
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
