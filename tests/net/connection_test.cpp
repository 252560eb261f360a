#include "common/net/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <vector>

#include "common/net/sockets.h"
#include "tests/net/net_fixture.h"

namespace ontime::net {
namespace {

using ConnectionTest = NetTest;

// Everything that arrives until the connection ends, and how it ended.
struct Received {
  std::vector<std::string> tokens;
  std::optional<Error> end;
};

asio::awaitable<void> receive_all(std::shared_ptr<Connection> connection, Received& into) {
  for (;;) {
    const auto payload = co_await connection->receive();
    if (!payload) {
      into.end = payload.error();
      co_return;
    }
    into.tokens.push_back(text_of(*payload));
  }
}

asio::awaitable<void> flush_and_close(std::shared_ptr<Connection> connection, bool& flushed) {
  flushed = co_await connection->flush();
  connection->close();
}

TEST_F(ConnectionTest, MessagesArriveInOrderAndTheEndIsTold) {
  auto [left, right] = make_pair();
  Received received;
  bool flushed = false;
  std::vector<std::string> sent;
  for (int i = 0; i < 1000; ++i) {
    sent.push_back(std::to_string(i));
    EXPECT_TRUE(left->send(hello_with(sent.back())));
  }
  spawn(receive_all(right, received));
  spawn(flush_and_close(left, flushed));
  run();
  EXPECT_TRUE(flushed);
  EXPECT_EQ(received.tokens, sent);
  ASSERT_TRUE(received.end);
  EXPECT_EQ(received.end->kind, ErrorKind::Unavailable);
  EXPECT_FALSE(right->is_open());
}

asio::awaitable<void> flush_only(std::shared_ptr<Connection> connection, std::optional<bool>& flushed) {
  flushed = co_await connection->flush();
}

asio::awaitable<void> close_now(std::shared_ptr<Connection> connection) {
  connection->close();
  co_return;
}

// Sends each message back and ends with the peer.
asio::awaitable<void> echo(std::shared_ptr<Connection> connection) {
  while (const auto payload = co_await connection->receive()) {
    const auto hello = hello_with(text_of(*payload));
    EXPECT_TRUE(connection->send(hello));
  }
}

asio::awaitable<void> count_down(std::shared_ptr<Connection> connection, int& rounds) {
  for (; rounds > 0; --rounds) {
    connection->send(hello_with(std::to_string(rounds)));
    const auto payload = co_await connection->receive();
    if (!payload || text_of(*payload) != std::to_string(rounds)) break;
  }
  connection->close();
}

TEST_F(ConnectionTest, MessagesGoBackAndForth) {
  auto [left, right] = make_pair();
  int rounds = 500;
  spawn(echo(right));
  spawn(count_down(left, rounds));
  run();
  EXPECT_EQ(rounds, 0);
}

TEST_F(ConnectionTest, LargeMessagesOfBothSidesCross) {
  auto [left, right] = make_pair();
  Received at_left, at_right;
  const std::string large(5u << 20, 'x');
  for (const auto& connection : {left, right}) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(connection->send(hello_with(large)));
  }
  bool flushed = false;
  spawn(receive_all(left, at_left));
  spawn(receive_all(right, at_right));
  spawn(flush_and_close(left, flushed));
  run();
  EXPECT_TRUE(flushed);
  EXPECT_EQ(at_right.tokens, std::vector<std::string>(4, large));
}

TEST_F(ConnectionTest, APeerThatDoesNotReadIsClosedAndTheReasonIsTold) {
  auto [socket, silent_peer] = make_sockets();
  ConnectionLimits limits;
  limits.outbox_bytes_max = 1u << 20;
  const auto connection = Connection::make(std::move(socket), limits);
  const auto message = hello_with(std::string(60000, 'x'));
  int sent = 0;
  while (sent < 1000 && connection->send(message)) {
    ++sent;
    io_.poll();
    io_.restart();
  }
  EXPECT_GE(sent, 17);  // the outbox, and what the kernel takes
  EXPECT_LT(sent, 1000);
  EXPECT_FALSE(connection->is_open());
  Received received;
  spawn(receive_all(connection, received));
  run();
  ASSERT_TRUE(received.end);
  EXPECT_EQ(received.end->kind, ErrorKind::Failed);
  EXPECT_NE(received.end->message.find("reads too slowly"), std::string::npos) << received.end->message;
}

TEST_F(ConnectionTest, CloseEndsAPendingReceive) {
  auto [left, right] = make_pair();
  Received received;
  spawn(receive_all(left, received));
  spawn(close_now(left));
  run();
  ASSERT_TRUE(received.end);
  EXPECT_EQ(received.end->kind, ErrorKind::Failed);
  EXPECT_NE(received.end->message.find("closed on this side"), std::string::npos);
}

TEST_F(ConnectionTest, CloseEndsEveryPendingFlush) {
  auto [socket, silent_peer] = make_sockets();
  const auto connection = Connection::make(std::move(socket));
  connection->send(hello_with(std::string(10u << 20, 'x')));
  std::optional<bool> first, second;
  spawn(flush_only(connection, first));
  spawn(flush_only(connection, second));
  io_.poll();
  EXPECT_FALSE(first || second);
  connection->close();
  connection->close();  // idempotent
  run();
  EXPECT_EQ(first, false);
  EXPECT_EQ(second, false);
}

TEST_F(ConnectionTest, FlushWithNothingQueuedReturnsAtOnce) {
  auto [left, right] = make_pair();
  std::optional<bool> open, closed;
  spawn(flush_only(left, open));
  run();
  EXPECT_EQ(open, true);
  left->close();
  spawn(flush_only(left, closed));
  run();
  EXPECT_EQ(closed, false);
}

TEST_F(ConnectionTest, SendAfterCloseIsRefused) {
  auto [left, right] = make_pair();
  left->close();
  EXPECT_FALSE(left->send(hello_with("late")));
  EXPECT_FALSE(left->is_open());
}

TEST_F(ConnectionTest, AMessageAboveTheFrameLimitClosesInsteadOfBeingSent) {
  auto [left, right] = make_pair();
  EXPECT_FALSE(left->send(hello_with(std::string(protocol::kFrameBytesMax, 'x'))));
  EXPECT_FALSE(left->is_open());
}

TEST_F(ConnectionTest, AHostileLengthClosesTheConnection) {
  auto [socket, peer] = make_sockets();
  const auto connection = Connection::make(std::move(socket));
  asio::write(peer, asio::buffer("\xff\xff\xff\xffhello", 9));
  Received received;
  spawn(receive_all(connection, received));
  run();
  ASSERT_TRUE(received.end);
  EXPECT_EQ(received.end->kind, ErrorKind::Failed);
  EXPECT_NE(received.end->message.find("4294967295"), std::string::npos) << received.end->message;
  EXPECT_FALSE(connection->is_open());
}

TEST_F(ConnectionTest, AFrameAboveTheConnectionsOwnLimitClosesIt) {
  ConnectionLimits limits;
  limits.frame_bytes_max = 1000;
  auto [left, right] = make_pair(limits);
  Received received;
  EXPECT_TRUE(left->send(hello_with("small")));
  EXPECT_TRUE(left->send(hello_with(std::string(1000, 'x'))));
  spawn(receive_all(right, received));
  run();
  EXPECT_EQ(received.tokens, std::vector<std::string>{"small"});
  ASSERT_TRUE(received.end);
  EXPECT_EQ(received.end->kind, ErrorKind::Failed);
}

TEST_F(ConnectionTest, APeerThatEndsWithinAMessageIsUnavailable) {
  auto [socket, peer] = make_sockets();
  const auto connection = Connection::make(std::move(socket));
  asio::write(peer, asio::buffer("\x0a\0\0\0half", 8));
  peer.close();
  Received received;
  spawn(receive_all(connection, received));
  run();
  ASSERT_TRUE(received.end);
  EXPECT_EQ(received.end->kind, ErrorKind::Unavailable);
  EXPECT_NE(received.end->message.find("within a message"), std::string::npos);
}

TEST_F(ConnectionTest, WhatThePeerSaidBeforeItWentIsReadAlthoughSendingFails) {
  auto [socket, peer] = make_sockets();
  const auto connection = Connection::make(std::move(socket));
  std::string last_words;
  protocol::append_frame(last_words, hello_with("no"));
  asio::write(peer, asio::buffer(last_words));
  peer.close();
  EXPECT_TRUE(connection->send(hello_with("let me in")));
  std::optional<bool> flushed;
  spawn(flush_only(connection, flushed));
  run();  // the write fails
  EXPECT_EQ(flushed, false);
  Received received;
  spawn(receive_all(connection, received));
  run();
  EXPECT_EQ(received.tokens, std::vector<std::string>{"no"});
  EXPECT_FALSE(connection->send(hello_with("again")));
  EXPECT_FALSE(connection->is_open());
}

TEST_F(ConnectionTest, WhoLetsGoOfItClosesIt) {
  auto [left, right] = make_pair();
  Received received;
  spawn(receive_all(right, received));
  EXPECT_TRUE(left->send(hello_with("goodbye")));
  left.reset();  // what is queued still leaves
  run();
  EXPECT_EQ(received.tokens, std::vector<std::string>{"goodbye"});
  ASSERT_TRUE(received.end);
  EXPECT_EQ(received.end->kind, ErrorKind::Unavailable);
}

// Run under AddressSanitizer this shows that neither a waiting receive nor a stuck write leaks.
TEST_F(ConnectionTest, GoesWithItsContextInTheMiddleOfEverything) {
  std::weak_ptr<Connection> watched;
  Received received;
  {
    asio::io_context io{1};
    RawSocket socket(io), silent_peer(io);
    asio::local::connect_pair(socket, silent_peer);
    const auto connection = Connection::make(std::move(socket));
    watched = connection;
    connection->send(hello_with(std::string(10u << 20, 'x')));
    asio::co_spawn(io, receive_all(connection, received), AbortOnException{"test"});
    io.poll();
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(received.end);
}

asio::awaitable<void> accept_one(asio::ip::tcp::acceptor& acceptor, std::shared_ptr<Connection>& into) {
  auto [error, socket] = co_await acceptor.async_accept(no_throw);
  if (!error) into = Connection::make(std::move(socket));
}

asio::awaitable<void> connect_to(Endpoint endpoint, std::shared_ptr<Connection>& into) {
  auto socket = co_await connect(endpoint, std::chrono::seconds(30));
  if (socket) into = Connection::make(*std::move(socket));
}

int option_of(int descriptor, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(descriptor, level, name, &value, &size), 0);
  return value;
}

TEST_F(ConnectionTest, OverTcpItNamesItsPeerAndSendsAtOnce) {
  auto acceptor = listen(io_.get_executor(), {"127.0.0.1", 0});
  ASSERT_TRUE(acceptor) << acceptor.error().message;
  const Endpoint endpoint{"127.0.0.1", acceptor->local_endpoint().port()};
  std::shared_ptr<Connection> near, far;
  spawn(accept_one(*acceptor, far));
  spawn(connect_to(endpoint, near));
  run();
  ASSERT_TRUE(near && far);
  EXPECT_EQ(near->peer(), to_string(endpoint));
  EXPECT_EQ(far->peer().rfind("127.0.0.1:", 0), 0u);
  Received received;
  EXPECT_TRUE(near->send(hello_with("over TCP")));
  near.reset();
  spawn(receive_all(far, received));
  run();
  EXPECT_EQ(received.tokens, std::vector<std::string>{"over TCP"});
}

// So that a peer whose machine is gone does not hold a descriptor for longer than two minutes.
TEST_F(ConnectionTest, TheKernelAsksWhetherItsPeerIsThere) {
  auto acceptor = listen(io_.get_executor(), {"127.0.0.1", 0});
  ASSERT_TRUE(acceptor) << acceptor.error().message;
  asio::ip::tcp::socket raw(io_);
  raw.connect(acceptor->local_endpoint());
  const int descriptor = raw.native_handle();
  const auto connection = Connection::make(std::move(raw));
  EXPECT_NE(option_of(descriptor, SOL_SOCKET, SO_KEEPALIVE), 0);
  const int asking = option_of(descriptor, IPPROTO_TCP, TCP_KEEPINTVL) * option_of(descriptor, IPPROTO_TCP, TCP_KEEPCNT);
  EXPECT_LE(option_of(descriptor, IPPROTO_TCP, TCP_KEEPIDLE) + asking, 120);
}

TEST_F(ConnectionTest, ItsSocketIsNotInheritedAndHasNoDelay) {
  auto acceptor = listen(io_.get_executor(), {"127.0.0.1", 0});
  ASSERT_TRUE(acceptor) << acceptor.error().message;
  asio::ip::tcp::socket raw(io_);
  raw.connect(acceptor->local_endpoint());
  const int descriptor = raw.native_handle();
  const auto connection = Connection::make(std::move(raw));
  EXPECT_NE(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(acceptor->native_handle(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(option_of(descriptor, IPPROTO_TCP, TCP_NODELAY), 0);
}

asio::awaitable<void> sleep_and_throw() {
  co_await sleep_for(std::chrono::milliseconds(1));
  throw std::runtime_error("nobody catches this");
}

using CoroutineDeathTest = NetTest;
TEST_F(CoroutineDeathTest, AnUncaughtExceptionEndsTheProcess) {
  EXPECT_DEATH(
      {
        spawn(sleep_and_throw());
        run();
      },
      "");
}

}  // namespace
}  // namespace ontime::net
