#include "tests/system/impostor.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "common/protocol/control.pb.h"
#include "common/protocol/frame.h"

namespace ontime::test {
namespace {

bool say(int peer, const google::protobuf::MessageLite& message) {
  std::string frame;
  protocol::append_frame(frame, message);
  return ::send(peer, frame.data(), frame.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(frame.size());
}

}  // namespace

Impostor::Impostor(const std::string& port) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  is_listening_ = ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                  ::listen(listener_, 16) == 0;
  if (is_listening_) thread_ = std::jthread([this] { serve(); });
}

Impostor::~Impostor() {
  ::shutdown(listener_, SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
  ::close(listener_);
}

std::string Impostor::heard() const {
  const std::lock_guard lock(mutex_);
  return heard_;
}

void Impostor::serve() {
  for (int peer = 0; (peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    pose(peer);
    ::close(peer);
    ++visitors_;
  }
}

// Lets everybody in, and hears what they say then.
void Impostor::pose(int peer) {
  hear_frame(peer);
  wire::Challenge challenge;
  challenge.set_nonce(std::string(32, 'n'));
  challenge.set_wants_token(true);
  if (!say(peer, challenge)) return;
  wire::Proof proof;
  proof.ParseFromString(hear_frame(peer));
  wire::HelloReply reply;
  reply.set_cluster("");
  reply.set_proof(proof.proof());  // the guest's own
  if (!say(peer, reply)) return;
  while (!hear_frame(peer).empty()) {
  }
}

// Empty at the end of the connection, or for an empty message.
std::string Impostor::hear_frame(int peer) {
  std::uint32_t length = 0;
  if (::recv(peer, &length, sizeof length, MSG_WAITALL) != sizeof length || length > 1u << 20) return {};
  std::string payload(length, '\0');
  if (::recv(peer, payload.data(), length, MSG_WAITALL) != static_cast<ssize_t>(length)) return {};
  const std::lock_guard lock(mutex_);
  heard_ += payload;
  return payload;
}

}  // namespace ontime::test
