#include "common/net/connection.h"

#include <fcntl.h>
#include <google/protobuf/message_lite.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/kill_point.h"
#include "common/net/coroutine.h"
#include "common/net/sockets.h"
#include "common/net/tls_stream.h"

namespace ontime::net {
namespace {

constexpr std::size_t kDrainBytesMax = 256u << 10;
constexpr std::size_t kIdleBytesMax = 1u << 20;  // larger write buffers are given back once they are written

std::string describe_peer(const Connection::Socket& socket) {
  asio::error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return "a closed connection";
  const int family = remote.data()->sa_family;
  if (family != AF_INET && family != AF_INET6) return "a local socket";
  asio::ip::tcp::endpoint endpoint;
  endpoint.resize(remote.size());
  std::memcpy(endpoint.data(), remote.data(), remote.size());
  return to_string(Endpoint{endpoint.address().to_string(), endpoint.port()});
}

// On a silent connection, such as a waiting client's, the kernel asks whether the peer still lives, and ends the
// connection after kAskTimes questions without an answer.
constexpr int kAskAfterSeconds = 60;
constexpr int kAskAgainSeconds = 15;
constexpr int kAskTimes = 4;

// Not inherited by the processes that are started here; frames leave at once; a peer that has vanished is noticed (the
// last two are no-ops on local sockets).
void set_options(Connection::Socket& socket) {
  const int on = 1;
  const int fd = socket.native_handle();
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kAskAfterSeconds, sizeof kAskAfterSeconds);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kAskAgainSeconds, sizeof kAskAgainSeconds);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kAskTimes, sizeof kAskTimes);
}

// A TLS record of a handshake begins so. As the length of a frame it is above what a hello may have.
constexpr std::array<unsigned char, 2> kTlsRecord{0x16, 0x03};
constexpr int kTlsPrefixBytes = 3;  // with the minor version, which is never 0

void wake_at(Connection::Socket& socket, int bytes) {
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

}  // namespace

struct Connection::State {
  State(Socket socket_in, ConnectionLimits limits_in)
      : limits(limits_in),
        peer(describe_peer(socket_in)),
        socket(std::move(socket_in)),
        written(socket.get_executor(), asio::steady_timer::time_point::max()),
        decoder(limits.frame_bytes_max) {}

  const ConnectionLimits limits;
  const std::string peer;
  Socket socket;
  asio::steady_timer written;  // never expires; cancelled when all is written or the connection closes
  protocol::FrameDecoder decoder;
  std::string outbox;       // whole frames, queued
  std::string writing;      // whole frames, on their way
  bool is_writing = false;  // a write is scheduled or on its way
  bool is_broken = false;   // a write has failed: nothing can be sent any more
  PeerFault fault = PeerFault::None;
  std::optional<Error> end_cause;  // why it was closed, if not by close()
  std::unique_ptr<TlsStream> tls;  // null: plain
  std::uint64_t bytes_received = 0;
  std::optional<PeerCertificate> certificate;
};

std::shared_ptr<Connection> Connection::make(Socket socket, ConnectionLimits limits) {
  set_options(socket);
  return std::shared_ptr<Connection>(new Connection(std::make_unique<State>(std::move(socket), limits)));
}

Connection::Connection(std::unique_ptr<State> state) : state_(std::move(state)) {}
Connection::~Connection() { close(); }

bool Connection::is_open() const { return state_->socket.is_open(); }

bool Connection::peer_is_gone() const {
  pollfd asked{state_->socket.native_handle(), POLLRDHUP, 0};
  return !is_open() || (::poll(&asked, 1, 0) == 1 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
}
const std::string& Connection::peer() const { return state_->peer; }
asio::any_io_executor Connection::executor() const { return state_->written.get_executor(); }
void Connection::limit_frames(std::size_t frame_bytes_max) {
  state_->decoder.set_payload_bytes_max(std::min(frame_bytes_max, state_->limits.frame_bytes_max));
}
void Connection::lift_frame_limit() { limit_frames(state_->limits.frame_bytes_max); }

PeerFault Connection::fault() const { return state_->fault; }
std::uint64_t Connection::bytes_received() const { return state_->bytes_received; }

void Connection::close() {
  asio::error_code ignored;
  state_->socket.close(ignored);
  state_->written.cancel();
}

// Closes the connection. receive() returns the first such error from then on.
Error Connection::end(Error error) {
  if (!state_->end_cause && is_open()) state_->end_cause = error;
  close();
  return error;
}

const PeerCertificate* Connection::certificate() const { return state_->certificate ? &*state_->certificate : nullptr; }

asio::awaitable<bool> Connection::begins_with_tls() {
  const auto self = shared_from_this();
  wake_at(state_->socket, kTlsPrefixBytes);
  const auto [error] = co_await state_->socket.async_wait(Socket::wait_read, no_throw);
  if (error || !is_open()) co_return false;
  wake_at(state_->socket, 1);
  std::array<unsigned char, kTlsPrefixBytes> first{};
  const auto size = ::recv(state_->socket.native_handle(), first.data(), first.size(), MSG_PEEK | MSG_DONTWAIT);
  co_return size == kTlsPrefixBytes&& first[0] == kTlsRecord[0] && first[1] == kTlsRecord[1] && first[2] != 0;
}

asio::awaitable<Status> Connection::encrypt(TlsPointer identity, std::string host) {
  const auto self = shared_from_this();
  state_->tls = std::make_unique<TlsStream>(state_->socket, std::move(identity), std::move(host));
  Status done = co_await state_->tls->shake_hands(peer());
  if (done) state_->certificate = state_->tls->peer_certificate();
  co_return done;
}

asio::awaitable<void> Connection::drain() {
  const auto self = shared_from_this();
  asio::error_code failure;
  if (is_open()) state_->socket.shutdown(Socket::shutdown_send, failure);
  std::vector<char> dropped(4096);
  std::size_t total = 0;
  while (!failure && is_open() && total < kDrainBytesMax) {
    const auto [error, size] = co_await state_->socket.async_read_some(asio::buffer(dropped), no_throw);
    failure = error;
    total += size;
  }
}

asio::awaitable<Result<std::string_view>> Connection::receive() {
  const auto self = shared_from_this();
  for (;;) {
    if (!is_open()) co_return failed_to_receive(asio::error::operation_aborted);
    auto payload = state_->decoder.next();
    if (!payload) {
      state_->fault = PeerFault::Malformed;
      co_return end(failed(peer() + " does not speak the protocol: " + payload.error().message));
    }
    if (*payload) {
      pass_kill_point("message-received");
      co_return **payload;
    }
    const auto space = state_->decoder.space();
    const auto buffer = asio::buffer(space.data(), space.size());
    if (state_->tls) {
      const auto [error, size] = co_await state_->tls->read_some(buffer);
      if (error) co_return failed_to_receive(error);
      on_received(size);
    } else {
      const auto [error, size] = co_await state_->socket.async_read_some(buffer, no_throw);
      if (error) co_return failed_to_receive(error);
      on_received(size);
    }
  }
}

void Connection::on_received(std::size_t size) {
  state_->bytes_received += size;
  state_->decoder.received(size);
}

Error Connection::failed_to_receive(const std::error_code& error) {
  if (error == asio::error::timed_out) state_->fault = PeerFault::TooSlow;
  if (state_->end_cause) return *state_->end_cause;
  if (!is_open()) return failed("the connection to " + peer() + " was closed on this side");
  if (error == asio::error::eof && !state_->decoder.has_partial_frame()) {
    return end(unavailable(peer() + " closed the connection"));
  }
  if (error == asio::error::eof) return end(unavailable(peer() + " closed the connection within a message"));
  if (error == asio::error::connection_reset) return end(unavailable(peer() + " broke the connection off"));
  if (const auto alert = describe_alert(error)) return end(bad_input(peer() + " ends the connection: " + *alert));
  return end(failed("cannot receive from " + peer() + ": " + error.message()));
}

std::size_t Connection::queued_bytes() const { return state_->outbox.size() + state_->writing.size(); }

bool Connection::send(const google::protobuf::MessageLite& message) {
  if (state_->is_broken) end(unavailable(peer() + " has gone"));
  if (!is_open()) return false;
  const std::size_t size = message.ByteSizeLong();
  if (size > protocol::kFrameBytesMax) {
    end(failed("a message of " + std::to_string(size) + " bytes to " + peer() + " is larger than a frame may be"));
    return false;
  }
  const std::size_t waiting = queued_bytes();
  if (waiting > 0 && waiting + size > state_->limits.outbox_bytes_max) {
    state_->fault = PeerFault::TooSlow;
    end(failed(peer() + " reads too slowly: " + std::to_string(waiting) + " bytes wait to be sent"));
    return false;
  }
  protocol::append_frame(state_->outbox, message);
  start_writing();
  return true;
}

// In the loop's next turn, so that everything that this turn sends leaves together.
void Connection::start_writing() {
  if (state_->is_writing) return;
  state_->is_writing = true;
  asio::post(state_->socket.get_executor(), [self = shared_from_this()] { self->write(); });
}

void Connection::write() {
  if (!is_open()) return;
  std::swap(state_->outbox, state_->writing);
  pass_kill_point("message-before-write");
  const auto bytes = asio::buffer(state_->writing);
  auto then = [self = shared_from_this()](const asio::error_code& error, std::size_t = 0) { self->on_written(error); };
  if (state_->tls)
    state_->tls->write(bytes, std::move(then));
  else
    asio::async_write(state_->socket, bytes, std::move(then));
}

void Connection::on_written(const std::error_code& error) {
  if (!is_open()) return;
  if (error) {
    // Not closed yet: what the peer said before it went may still be unread. receive() will find the end.
    state_->is_broken = true;
    if (error == asio::error::timed_out) state_->fault = PeerFault::TooSlow;
    state_->outbox.clear();
    state_->written.cancel();
    return;
  }
  pass_kill_point("message-written");
  state_->writing.clear();
  if (state_->writing.capacity() > kIdleBytesMax) state_->writing.shrink_to_fit();
  if (!state_->outbox.empty()) return write();
  state_->is_writing = false;
  state_->written.cancel();
}

asio::awaitable<bool> Connection::flush() {
  const auto self = shared_from_this();
  while (is_open() && state_->is_writing && !state_->is_broken) co_await state_->written.async_wait(no_throw);
  co_return is_open() && !state_->is_broken;
}

}  // namespace ontime::net
