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

  // With a `host` (a name or an address): the client's side of TLS, which wants a certificate for that host. Empty: the
  // server's side, which wants the client's certificate. The socket outlives the stream.
  TlsStream(Socket& socket, TlsPointer identity, std::string host);
  ~TlsStream();

  // BadInput with a sentence if the handshake fails; Unavailable if the peer closes the connection. `peer` is for
  // messages.
  asio::awaitable<Status> shake_hands(std::string peer);
  PeerCertificate peer_certificate() const;  // after shake_hands()

  // One read and one write at a time. At the end of the stream, however it ends, the error is asio::error::eof.
  asio::awaitable<std::pair<asio::error_code, std::size_t>> read_some(asio::mutable_buffer into);
  void write(asio::const_buffer from, std::function<void(const asio::error_code&)> then);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Why the peer has ended the connection, if the error is its TLS alert: the server checks a client's certificate
// only after the client has finished its part of the handshake.
std::optional<std::string> describe_alert(const asio::error_code& error);

}  // namespace ontime::net
