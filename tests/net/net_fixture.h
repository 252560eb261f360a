#pragma once
// Two connected ends on one io_context, and a way to run coroutines on it to their end.

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/local/connect_pair.hpp>
#include <asio/local/stream_protocol.hpp>
#include <memory>
#include <string>
#include <utility>

#include "common/net/connection.h"
#include "common/net/coroutine.h"
#include "common/protocol/control.pb.h"

namespace ontime::net {

class NetTest : public testing::Test {
 protected:
  struct Pair {
    std::shared_ptr<Connection> left, right;
  };

  using RawSocket = asio::local::stream_protocol::socket;
  std::pair<RawSocket, RawSocket> make_sockets() {
    RawSocket left(io_), right(io_);
    asio::local::connect_pair(left, right);
    return {std::move(left), std::move(right)};
  }

  Pair make_pair(ConnectionLimits limits = {}) {
    auto [left, right] = make_sockets();
    return {Connection::make(std::move(left), limits), Connection::make(std::move(right), limits)};
  }

  void spawn(asio::awaitable<void> coroutine) { asio::co_spawn(io_, std::move(coroutine), AbortOnException{"test"}); }

  // Until every coroutine has ended and nothing is left to do; a test that hangs is ended by ctest's limit.
  void run() {
    io_.restart();
    io_.run();
  }

  asio::io_context io_{1};
};

// A message with a recognisable content.
inline wire::Hello hello_with(std::string text) {
  wire::Hello hello;
  hello.set_cluster(std::move(text));
  return hello;
}

inline std::string text_of(std::string_view payload) {
  wire::Hello hello;
  if (!hello.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return "(not a hello)";
  return hello.cluster();
}

}  // namespace ontime::net
