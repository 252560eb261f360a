#pragma once
// A master on a thread of its own that answers every request with what the test says.

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/net/connection.h"
#include "common/net/coroutine.h"
#include "common/net/sockets.h"
#include "common/net/handshake.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

class FakeMaster {
 public:
  // Nothing: closes the connection. Runs on the master's thread.
  using Answer = std::function<std::optional<wire::Reply>(const wire::Request&)>;

  explicit FakeMaster(Answer answer, std::string token = "") : answer_(std::move(answer)), token_(std::move(token)) {
    auto acceptor = net::listen(io_.get_executor(), {"127.0.0.1", 0});
    if (!acceptor) throw std::runtime_error(acceptor.error().message);
    endpoint_ = {"127.0.0.1", acceptor->local_endpoint().port()};
    asio::co_spawn(io_, accept(std::move(*acceptor)), net::AbortOnException{"fake_master"});
    thread_ = std::thread([this] { io_.run(); });
  }
  ~FakeMaster() {
    io_.stop();
    thread_.join();
  }
  FakeMaster(const FakeMaster&) = delete;
  FakeMaster& operator=(const FakeMaster&) = delete;

  const net::Endpoint& endpoint() const { return endpoint_; }

 private:
  asio::awaitable<void> accept(asio::ip::tcp::acceptor acceptor) {
    for (;;) {
      auto [error, socket] = co_await acceptor.async_accept(net::no_throw);
      if (error) co_return;
      auto session = serve(net::Connection::make(std::move(socket)));
      asio::co_spawn(io_, std::move(session), net::AbortOnException{"fake_session"});
    }
  }

  asio::awaitable<void> serve(std::shared_ptr<net::Connection> connection) {
    net::HostIdentity identity;
    identity.cluster = "fake";
    identity.tokens = net::Tokens::single(token_);
    const auto hello = co_await net::answer_hello(connection, identity, std::chrono::seconds(10));
    if (!hello) co_return;
    for (;;) {
      const auto payload = co_await connection->receive();
      if (!payload) co_return;
      wire::Request request;
      request.ParseFromArray(payload->data(), static_cast<int>(payload->size()));
      const auto reply = answer_(request);
      if (!reply) break;
      connection->send(*reply);
    }
    connection->close();
  }

  Answer answer_;
  std::string token_;
  asio::io_context io_{1};
  net::Endpoint endpoint_;
  std::thread thread_;
};

}  // namespace ontime::cli
