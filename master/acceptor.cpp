#include "master/acceptor.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <chrono>
#include <utility>

#include "common/log/fields.h"
#include "common/net/coroutine.h"
#include "common/net/sockets.h"
#include "common/protocol/version.h"
#include "master/advice/application_session.h"
#include "master/base/settings.h"
#include "master/workers/worker_session.h"

namespace ontime::master {
namespace {

constexpr Duration kIdleLooks = std::chrono::seconds(10);  // between two, at most

}  // namespace

Acceptor::Acceptor(asio::ip::tcp::acceptor socket, net::HostIdentity identity, Patience patience,
                   ActionDispatcher& dispatcher, ClientServices services, Advisor* advisor)
    : socket_(std::move(socket)),
      port_(socket_.local_endpoint().port()),
      identity_(std::move(identity)),
      patience_(patience),
      dispatcher_(dispatcher),
      services_(services),
      advisor_(advisor),
      idle_looks_(socket_.get_executor()) {}

void Acceptor::start() {
  asio::co_spawn(socket_.get_executor(), accept_loop(), net::AbortOnException{"accept_loop"});
  end_idle_clients();
}

void Acceptor::close() {
  asio::error_code ignored;
  socket_.close(ignored);
  idle_looks_.cancel();
  for (const auto& [number, one] : connections_) one.connection->close();
}

bool Acceptor::has_unsent() const {
  return std::ranges::any_of(connections_, [](const auto& one) { return one.second.connection->queued_bytes() > 0; });
}

std::size_t Acceptor::set_tokens(net::Tokens tokens) {
  identity_.tokens = std::move(tokens);
  std::size_t ended = 0;
  for (const auto& [number, one] : connections_) {
    if (!one.is_admitted || identity_.tokens.accept(one.token)) continue;
    spdlog::warn("token_revoked peer={} credentials={}", one.connection->peer(),
                 log::Quoted{one.token ? one.token->describe() : "none"});
    one.connection->close();
    ++ended;
  }
  return ended;
}

asio::awaitable<void> Acceptor::accept_loop() {
  while (socket_.is_open()) {
    auto [error, peer] = co_await socket_.async_accept(net::no_throw);
    if (!socket_.is_open()) break;
    if (error) {
      spdlog::warn("accept_failed reason={}", log::Quoted{error.message()});
      co_await net::sleep_for(net::kPauseAfterFailedAccept);
      continue;
    }
    if (connections_.size() >= kConnectionsMax) {
      ++counters_.refused;
      continue;  // `peer` closes
    }
    net::end_when_stuck(peer, patience_.stuck_max);
    net::limit_send_buffer(peer, kSendBufferBytes);
    net::ConnectionLimits limits;
    limits.outbox_bytes_max = kOutboxBytesMax;
    auto connection = net::Connection::make(std::move(peer), limits);
    asio::co_spawn(socket_.get_executor(), serve(std::move(connection)), net::AbortOnException{"serve"});
  }
}

asio::awaitable<void> Acceptor::serve(std::shared_ptr<net::Connection> connection) {
  const std::uint64_t number = ++last_connection_;
  connections_.emplace(number, Connected{connection, false, {}});
  Result<net::Guest> guest = co_await shake_hands(connection);
  if (guest && !identity_.tokens.accept(guest->token)) guest = bad_input("its token was revoked meanwhile");
  if (!guest) {
    ++counters_.refused;
    spdlog::warn("connection_refused peer={} reason={}", connection->peer(), log::Quoted{guest.error().message});
  } else {
    Connected& admitted = connections_.at(number);
    admitted.is_admitted = true;
    admitted.token = guest->token;
    co_await serve_guest(connection, std::move(*guest));
    count(connection->fault(), connection->peer());
  }
  connection->close();
  connections_.erase(number);
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

// A flood of half-open connections pushes out its own oldest ones, not peers that come later.
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
  const protocol::Version version = protocol::version_of(guest.hello);
  if (version != protocol::kVersion && guest.hello.role() == wire::WORKER) {
    spdlog::info("other_version peer={} version={}", connection->peer(),
                 log::Quoted{protocol::describe(version, guest.hello.release())});
  }
  if (guest.hello.role() == wire::WORKER)
    co_await serve_worker(std::move(connection));
  else if (guest.hello.role() == wire::APPLICATION_MASTER)
    co_await serve_application(std::move(connection), std::move(guest.name));
  else
    co_await serve_client(std::move(connection), std::move(guest));
}

asio::awaitable<void> Acceptor::serve_worker(std::shared_ptr<net::Connection> connection) {
  if (workers_ >= kWorkersMax) {
    ++counters_.refused;
    spdlog::warn("connection_refused peer={} reason=\"{} workers are connected already\"", connection->peer(),
                 workers_);
    co_return;
  }
  ++workers_;
  const WorkerSession::Kept kept{services_.logs, services_.indexes, services_.machine_uses, services_.messages};
  WorkerSession session(std::move(connection), services_.control, dispatcher_, kept, counters_);
  co_await session.run();
  --workers_;
}

asio::awaitable<void> Acceptor::serve_application(std::shared_ptr<net::Connection> connection, std::string owner) {
  if (workers_ >= kWorkersMax) {
    ++counters_.refused;
    spdlog::warn("connection_refused peer={} reason=\"{} application masters are connected already\"",
                 connection->peer(), workers_);
    co_return;
  }
  ++workers_;
  ApplicationSession session(std::move(connection), *advisor_, std::move(owner), counters_);
  co_await session.run();
  --workers_;
}

asio::awaitable<void> Acceptor::serve_client(std::shared_ptr<net::Connection> connection, net::Guest guest) {
  ClientSession session(connection, services_, std::move(guest), counters_);
  if (!make_room_for(session)) {
    ++counters_.refused;
    spdlog::warn("connection_refused peer={} reason=\"as many clients as may be are being answered\"",
                 connection->peer());
    co_return;
  }
  const auto place = clients_.insert(clients_.end(), &session);
  co_await session.run();
  clients_.erase(place);
}

// False if all of its kind are being answered.
bool Acceptor::make_room_for(const ClientSession& next) {
  std::size_t count = 0;
  ClientSession* idle_longest = nullptr;
  for (ClientSession* client : clients_) {
    if (client->is_controller() != next.is_controller() || !client->is_open()) continue;
    ++count;
    if (!client->idle_since()) continue;
    if (idle_longest == nullptr || *client->idle_since() < *idle_longest->idle_since()) idle_longest = client;
  }
  if (count < (next.is_controller() ? kControllersMax : kVisitorsMax)) return true;
  if (idle_longest == nullptr) return false;
  ++counters_.refused;
  idle_longest->end();
  return true;
}

void Acceptor::end_idle_clients() {
  const auto limit = std::chrono::steady_clock::now() - patience_.idle_max;
  for (ClientSession* client : clients_) {
    if (client->idle_since() && *client->idle_since() < limit) client->end();
  }
  idle_looks_.expires_after(std::min(kIdleLooks, patience_.idle_max));
  idle_looks_.async_wait([this](const asio::error_code& error) {
    if (!error) end_idle_clients();
  });
}

}  // namespace ontime::master
