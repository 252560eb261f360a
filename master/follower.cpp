#include "master/follower.h"

#include <spdlog/spdlog.h>

#include <asio/co_spawn.hpp>
#include <utility>

#include "common/log/fields.h"
#include "common/net/coroutine.h"
#include "common/net/sockets.h"
#include "master/base/settings.h"

namespace ontime::master {

Follower::Follower(asio::ip::tcp::acceptor& socket, net::HostIdentity identity)
    : socket_(socket), identity_(std::move(identity)) {}

void Follower::start() { asio::co_spawn(socket_.get_executor(), accept_loop(), net::AbortOnException{"follower"}); }

std::size_t Follower::set_tokens(net::Tokens tokens) {
  identity_.tokens = std::move(tokens);
  return 0;
}

void Follower::stop() {
  has_stopped_ = true;
  asio::error_code ignored;
  socket_.cancel(ignored);
  for (const auto& connection : connections_) connection->close();
}

asio::awaitable<void> Follower::accept_loop() {
  while (!has_stopped_) {
    auto [error, peer] = co_await socket_.async_accept(net::no_throw);
    if (has_stopped_) co_return;
    if (error) {
      spdlog::warn("accept_failed reason={}", log::Quoted{error.message()});
      co_await net::sleep_for(net::kPauseAfterFailedAccept);
      continue;
    }
    if (connections_.size() >= kHalfOpenMax) continue;  // `peer` closes, and comes again
    auto connection = net::Connection::make(std::move(peer));
    asio::co_spawn(socket_.get_executor(), answer(std::move(connection)), net::AbortOnException{"follower"});
  }
}

asio::awaitable<void> Follower::answer(std::shared_ptr<net::Connection> connection) {
  connections_.insert(connection);
  const auto guest = co_await net::answer_hello(connection, identity_, kHandshakeMax);
  if (!guest) spdlog::debug("not_let_in peer={} reason={}", connection->peer(), log::Quoted{guest.error().message});
  connection->close();
  connections_.erase(connection);
}

}  // namespace ontime::master
