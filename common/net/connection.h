#pragma once
// One framed connection over TCP or a Unix socket, plain or in TLS. All of it runs on the socket's executor, which one
// thread drives.
//
//   auto connection = Connection::make(std::move(socket), limits);
//   while (auto payload = co_await connection->receive()) handle(*payload);   // ends when either side closes
//
// Sending never waits: frames queue up to a bound and leave in one write per turn of the loop. A peer that is too slow
// to read what it is sent is closed, so that it cannot hold memory or delay others.
//
// It keeps itself alive while something is being received or written, and closes when its last owner releases it.

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "common/base/result.h"
#include "common/net/tls_identity.h"
#include "common/protocol/frame.h"

namespace google::protobuf {
class MessageLite;
}

namespace ontime::net {

struct ConnectionLimits {
  std::size_t frame_bytes_max = protocol::kFrameBytesMax;  // of a received payload
  // Queued and not yet written; one message may always be queued when nothing else is.
  std::size_t outbox_bytes_max = 2 * protocol::kFrameBytesMax;
};

// What a peer did that closed its connection.
enum class PeerFault : std::uint8_t {
  None,
  TooSlow,    // did not read what it was sent, or could not be reached any more
  Malformed,  // sent bytes that are no frames
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = asio::generic::stream_protocol::socket;  // tcp and local sockets move into it

  static std::shared_ptr<Connection> make(Socket socket, ConnectionLimits limits = {});
  ~Connection();

  // Before anything is received or sent: whether the peer begins to speak TLS. Takes nothing of what it says.
  asio::awaitable<bool> begins_with_tls();
  // Encrypts from here on. With a `host`: as the side that connects and wants a certificate for that host; empty: as
  // the side that accepted. REQUIRES: nothing was received or sent. BadInput with a sentence if the handshake fails;
  // the connection cannot be used then. Has no time limit of its own: see handshake.h.
  asio::awaitable<Status> encrypt(TlsPointer identity, std::string host);
  const PeerCertificate* certificate() const;  // the peer's; null if nothing is encrypted
  // Ends what we send, and reads and drops what the peer still sends, up to a bound, so that the peer can read our last
  // message: with unread bytes left, the kernel would reset the connection and lose it.
  asio::awaitable<void> drain();

  // The next payload, valid until the next call. Unavailable when the peer has closed, Failed on anything else; after
  // an error the connection is closed. One receive at a time.
  asio::awaitable<Result<std::string_view>> receive();

  // A tighter limit on received payloads than the one it was made with, for a peer that has not yet proved who it is.
  void limit_frames(std::size_t frame_bytes_max);
  void lift_frame_limit();

  // Queues a message. False, and the connection is closed, if it is closed, the peer is too slow, or the message is
  // larger than any frame may be.
  bool send(const google::protobuf::MessageLite& message);

  std::size_t queued_bytes() const;  // not yet given to the kernel

  // Waits until everything queued is written (true) or the connection has closed (false).
  asio::awaitable<bool> flush();

  void close();  // idempotent; pending receive() and flush() return
  bool is_open() const;
  bool peer_is_gone() const;  // it has closed, or sends nothing more; asks the kernel, also while nothing is received
  PeerFault fault() const;
  std::uint64_t bytes_received() const;  // so far, parts of a message included
  asio::any_io_executor executor() const;
  const std::string& peer() const;  // "127.0.0.1:40312" or "a local socket", for logs

 private:
  struct State;
  explicit Connection(std::unique_ptr<State> state);
  Error end(Error error);
  void on_received(std::size_t size);
  Error failed_to_receive(const std::error_code& error);
  void start_writing();
  void write();
  void on_written(const std::error_code& error);
  std::unique_ptr<State> state_;
};

}  // namespace ontime::net
