#include "master/acceptor.h"

#include <spdlog/spdlog.h>

#include <asio/co_spawn.hpp>
#include <utility>

#include "common/log/fields.h"
#include "common/net/coroutine.h"
#include "common/net/sockets.h"
#include "master/settings.h"
#include "master/worker_session.h"

namespace ontime::master {
namespace {

constexpr Duration kPauseAfterFailure = std::chrono::milliseconds(50);  // as when descriptors have run out

}  // namespace

Acceptor::Acceptor(asio::ip::tcp::acceptor socket, net::HostIdentity identity, Duration stuck_max,
                   ActionDispatcher& dispatcher, ClientServices services)
    : socket_(std::move(socket)),
      port_(socket_.local_endpoint().port()),
      identity_(std::move(identity)),
      stuck_max_(stuck_max),
      dispatcher_(dispatcher),
      services_(services) {}

void Acceptor::start() { asio::co_spawn(socket_.get_executor(), accept_loop(), net::AbortOnException{"accept_loop"}); }

void Acceptor::close() {
  asio::error_code ignored;
  socket_.close(ignored);
  for (const auto& connection : connections_) connection->close();
}

asio::awaitable<void> Acceptor::accept_loop() {
  while (socket_.is_open()) {
    auto [error, peer] = co_await socket_.async_accept(net::no_throw);
    if (!socket_.is_open()) break;
    if (error) {
      spdlog::warn("accept_failed reason={}", log::Quoted{error.message()});
      co_await net::sleep_for(kPauseAfterFailure);
      continue;
    }
    if (connections_.size() >= kConnectionsMax) {
      ++counters_.refused;
      continue;  // `peer` closes
    }
    net::end_when_stuck(peer, stuck_max_);
    net::limit_send_buffer(peer, kSendBufferBytes);
    net::ConnectionLimits limits;
    limits.outbox_bytes_max = kOutboxBytesMax;
    auto connection = net::Connection::make(std::move(peer), limits);
    asio::co_spawn(socket_.get_executor(), serve(std::move(connection)), net::AbortOnException{"serve"});
  }
}

asio::awaitable<void> Acceptor::serve(std::shared_ptr<net::Connection> connection) {
  connections_.insert(connection);
  Result<net::Guest> guest = co_await shake_hands(connection);
  if (!guest) {
    ++counters_.refused;
    spdlog::warn("connection_refused peer={} reason={}", connection->peer(), log::Quoted{guest.error().message});
  } else {
    co_await serve_guest(connection, std::move(*guest));
    count(connection->fault(), connection->peer());
  }
  connection->close();
  connections_.erase(connection);
}

void Acceptor::count(net::PeerFault fault, const std::string& peer) {
  if (fault == net::PeerFault::TooSlow) {
    ++counters_.stuck;
    spdlog::warn("peer_stuck peer={}", peer);
  }
  if (fault == net::PeerFault::Malformed) {
    ++counters_.malformed;
    spdlog::warn("peer_malformed peer={}", peer);
  }
}

// Whoever holds connections open without saying who it is pushes out its own, not those who come after it.
asio::awaitable<Result<net::Guest>> Acceptor::shake_hands(std::shared_ptr<net::Connection> connection) {
  if (half_open_.size() >= kHalfOpenMax) {
    half_open_.front()->close();
    half_open_.pop_front();
  }
  half_open_.push_back(connection);
  Result<net::Guest> guest = co_await net::answer_hello(connection, identity_, kHandshakeMax);
  half_open_.remove(connection);
  co_return guest;
}

asio::awaitable<void> Acceptor::serve_guest(std::shared_ptr<net::Connection> connection, net::Guest guest) {
  if (!guest.credentials.empty()) {
    spdlog::debug("admitted peer={} credentials={}", connection->peer(), log::Quoted{guest.credentials});
  }
  if (guest.hello.role() == wire::WORKER) {
    WorkerSession session(std::move(connection), services_.control, dispatcher_, counters_);
    co_await session.run();
  } else {
    ClientSession session(std::move(connection), services_, std::move(guest), counters_);
    co_await session.run();
  }
}

}  // namespace ontime::master
