#pragma once
// A master that follows: it listens where it will lead, lets nobody in, and names the one that leads to whom it knows.

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "common/net/connection.h"
#include "common/net/handshake.h"

namespace ontime::master {

// On the thread that runs the socket's io_context.
class Follower {
 public:
  // `socket` listens, and goes on doing so. REQUIRES: identity.follows.
  Follower(asio::ip::tcp::acceptor& socket, net::HostIdentity identity);

  void start();
  void name_leader(std::string address) { identity_.follows = std::move(address); }
  std::size_t set_tokens(net::Tokens tokens);  // from now on; no connection lasts long enough to be ended for it
  // Lets go of the socket and of all connections, once the io_context has run what this makes ready. Before the end.
  void stop();

 private:
  asio::awaitable<void> accept_loop();
  asio::awaitable<void> answer(std::shared_ptr<net::Connection> connection);

  asio::ip::tcp::acceptor& socket_;
  net::HostIdentity identity_;
  bool has_stopped_ = false;
  std::set<std::shared_ptr<net::Connection>> connections_;
};

}  // namespace ontime::master
