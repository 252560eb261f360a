#pragma once
// TLS over a connection's socket. Only connection.cpp uses it; Asio's and OpenSSL's headers stay in tls_stream.cpp.

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/error_code.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/net/tls_identity.h"

namespace ontime::net {

class TlsStream {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  // A guest begins, and wants the certificate to be for `host`, a name or an address; the host, for which that is empty,
  // waits for the other side to begin and wants its certificate. The socket outlives the stream.
  TlsStream(Socket& socket, TlsPointer identity, std::string host);
  ~TlsStream();

  // BadInput with a sentence if the two do not get along; Unavailable if the peer goes away. `peer` is for messages.
  asio::awaitable<Status> shake_hands(std::string peer);
  PeerCertificate peer_certificate() const;  // after shake_hands()

  // One read and one write at a time. At the end of the stream, however it ends, the error is asio::error::eof.
  asio::awaitable<std::pair<asio::error_code, std::size_t>> read_some(asio::mutable_buffer into);
  void write(asio::const_buffer from, std::function<void(const asio::error_code&)> then);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Why the peer has ended the connection, if the error is its TLS alert: a guest's certificate is looked at only after
// the guest has finished its part of the handshake.
std::optional<std::string> describe_alert(const asio::error_code& error);

}  // namespace ontime::net
